#include "heddle/explore/server.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "heddle/explore/serving.h"

#ifdef HEDDLE_HAS_HTTPLIB
#include <httplib.h>

namespace heddle::app {
namespace {

using httplib::Response;

constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kTooSlow = 408;
constexpr int kTooLarge = 413;

void answer_plainly(Response& response, int status, const Diagnostic& why) {
  response.status = status;
  response.set_content(why.to_string() + "\n", "text/plain; charset=utf-8");
}

class HttpServer : public ExploreServer {
 public:
  explicit HttpServer(const notation::Environment& environment)
      : environment_(environment), token_(random_token()) {
    set_limits();
    server_.set_default_headers({{"Content-Security-Policy", content_security_policy()},
                                 {"X-Content-Type-Options", "nosniff"},
                                 {"X-Frame-Options", "DENY"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"Cross-Origin-Resource-Policy", "same-origin"},
                                 {"Cross-Origin-Opener-Policy", "same-origin"},
                                 {"Cache-Control", "no-store"}});
    server_.set_pre_routing_handler([this](const httplib::Request& request, Response& response) {
      return let_in(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                       : httplib::Server::HandlerResponse::Handled;
    });
    server_.Get(
        ".*", [](const httplib::Request& request, Response& response) { send(request, response); });
    server_.Post("/answer", [this](const httplib::Request&, Response& response,
                                   const httplib::ContentReader& read) { answer(response, read); });
    server_.set_error_handler([](const httplib::Request&, Response& response) {
      if (response.status != kTooLarge) return;
      answer_plainly(response, kTooLarge,
                     Diagnostic("explore.request",
                                fmt::format("a request has at most {} MiB", kMaxBody >> 20)));
    });
  }

  [[nodiscard]] bool listen(int port) {
    port_ = port == 0 ? server_.bind_to_any_port("127.0.0.1")
                      : (server_.bind_to_port("127.0.0.1", port) ? port : -1);
    return port_ > 0;
  }

  [[nodiscard]] std::string address() const override {
    return fmt::format("http://127.0.0.1:{}/?token={}", port_, token_);
  }

  void run() override {
    server_.listen_after_bind();
    has_ended_ = true;
  }

  void stop() override {
    stop_.request_stop();
    // A server that does not listen yet would begin to afterwards.
    while (!server_.is_running() && !has_ended_) std::this_thread::yield();
    server_.stop();
  }

 private:
  /// A visitor that sends slowly, or nothing, is let go after a few seconds.
  void set_limits() {
    constexpr time_t kSeconds = 2;
    server_.set_payload_max_length(kMaxBody);
    server_.set_read_timeout(kSeconds);
    server_.set_write_timeout(kSeconds);
    // What follows a request that was given up is no request.
    server_.set_keep_alive_max_count(1);
    // The port of another program is not shared; one that was left a moment ago is taken again.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
  }

  /// Whether the request may be answered; if not, the response says why.
  bool let_in(const httplib::Request& request, Response& response) const {
    const std::string host = request.get_header_value("Host");
    const std::string origin = request.get_header_value("Origin");
    const bool is_only = request.get_header_value_count("Host") == 1;
    const auto visitor = check_visitor({is_only ? std::string_view(host) : "", origin}, port_);
    if (!visitor) answer_plainly(response, kForbidden, visitor.error());
    if (!visitor) return false;
    // The page's files are the same for everyone and hold no secret; a page that is loaded again
    // has moved the token from its address into its memory.
    const bool is_file = request.method == "GET" && !request.has_param("token");
    if (is_file) return true;
    const std::string given = request.method == "GET" ? request.get_param_value("token")
                                                      : request.get_header_value("X-Heddle-Token");
    const auto token = check_token(given, token_);
    if (!token) answer_plainly(response, kForbidden, token.error());
    return token.has_value();
  }

  /// Answers the body, unless it takes too long to arrive. A body that is refused while it is read
  /// has its status already.
  void answer(Response& response, const httplib::ContentReader& read) const {
    const auto end = std::chrono::steady_clock::now() + kMaxBodyTime;
    std::string body;
    bool is_late = false;
    const bool is_whole = read([&](const char* piece, std::size_t size) {
      is_late = std::chrono::steady_clock::now() > end;
      body.append(piece, size);
      return !is_late;
    });
    if (is_late) {
      answer_plainly(response, kTooSlow,
                     Diagnostic("explore.request", fmt::format("a request arrives within {} s",
                                                               kMaxBodyTime.count())));
    }
    if (!is_whole) return;
    response.set_content(answers_to(body, environment_, stop_.get_token()),
                         "application/x-ndjson; charset=utf-8");
  }

  static void send(const httplib::Request& request, Response& response) {
    const auto file = served_file(request.path);
    if (file) {
      response.set_content(file->text.data(), file->text.size(), std::string(file->type));
      return;
    }
    answer_plainly(response, kNotFound,
                   Diagnostic("explore.request", "there is no such file in the explorer"));
  }

  notation::Environment environment_;
  std::string token_;
  httplib::Server server_;
  std::stop_source stop_;
  std::atomic<bool> has_ended_ = false;
  int port_ = 0;
};

}  // namespace

Result<std::unique_ptr<ExploreServer>> ExploreServer::make(
    int port, const notation::Environment& environment) {
  auto server = std::make_unique<HttpServer>(environment);
  if (server->listen(port)) return server;
  return refuse(Diagnostic("explore.no_server", fmt::format("port {} cannot be listened on", port))
                    .with_hint("leave --port out: a free one is found"));
}

}  // namespace heddle::app

#else

namespace heddle::app {

Result<std::unique_ptr<ExploreServer>> ExploreServer::make(
    int /*port*/, const notation::Environment& /*environment*/) {
  return refuse(Diagnostic("explore.no_server", "this build of heddle has no server")
                    .with_hint("build it with cpp-httplib (libcpp-httplib-dev), or write the "
                               "pages: heddle explore --static OUT/ LAYOUT"));
}

}  // namespace heddle::app

#endif
