// The server of the explorer lets in nobody but its own page, and serves nothing but the explorer.

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/shell.h"

extern char** environ;

namespace heddle {
namespace {

using Json = nlohmann::json;

/// `heddle explore --no-browser`, until it goes out of scope.
class Served {
 public:
  Served() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
    std::vector<std::string> words = {HEDDLE_BINARY, "explore", "--no-browser", "(4,8):(8,1)"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn(&process_, HEDDLE_BINARY, &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char letter = 0;
    while (read(ends[0], &letter, 1) == 1 && letter != '\n') address_ += letter;
    close(ends[0]);
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;
  ~Served() { (void)end(); }

  /// Ctrl-C; the exit code.
  int end() {
    if (process_ == 0) return -1;
    kill(process_, SIGINT);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] bool is_there() const { return !address_.empty(); }
  [[nodiscard]] int port() const {
    return std::stoi(address_.substr(address_.rfind(':', address_.find("/?")) + 1));
  }
  [[nodiscard]] std::string host() const { return fmt::format("127.0.0.1:{}", port()); }
  [[nodiscard]] std::string token() const {
    const std::size_t begin = address_.find("token=") + 6;
    return address_.substr(begin, address_.find('#') - begin);
  }

 private:
  pid_t process_ = 0;
  std::string address_;
};

/// A connection, with what was sent over it.
class RawConnection {
 public:
  explicit RawConnection(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_open_ = connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;
  ~RawConnection() { close(socket_); }

  [[nodiscard]] bool is_open() const { return is_open_; }
  void send_text(std::string_view text) const {
    while (!text.empty()) {
      const auto sent = send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  /// All that is answered until the other side closes.
  [[nodiscard]] std::string answer() const {
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t count = 0; (count = recv(socket_, buffer.data(), buffer.size(), 0)) > 0;)
      text.append(buffer.data(), static_cast<std::size_t>(count));
    return text;
  }

 private:
  int socket_;
  bool is_open_ = false;
};

struct HttpReply {
  int status = 0;
  std::string head;
  std::string body;
};

HttpReply reply_of(const std::string& text) {
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos) return {};
  return {std::stoi(text.substr(text.find(' ') + 1)), text.substr(0, end), text.substr(end + 4)};
}

/// A request as written, whose first line is `line`.
HttpReply asked(const Served& served, const std::string& line, const std::string& headers,
                const std::string& body = {}) {
  const RawConnection connection(served.port());
  connection.send_text(
      fmt::format("{} HTTP/1.1\r\n{}Connection: close\r\nContent-Length: {}\r\n\r\n", line, headers,
                  body.size()));
  connection.send_text(body);
  return reply_of(connection.answer());
}

std::string host_line(const Served& served) { return fmt::format("Host: {}\r\n", served.host()); }
std::string own_headers(const Served& served) {
  return host_line(served) + fmt::format("X-Heddle-Token: {}\r\n", served.token());
}

/// What the page would ask.
HttpReply asked_by_page(const Served& served, const std::string& body) {
  return asked(served, "POST /answer", own_headers(served), body);
}

class ExploreServer : public testing::Test {
 protected:
  void SetUp() override {
    if (!served_.is_there()) GTEST_SKIP() << "this build of heddle has no server";
  }
  Served served_;
};

TEST_F(ExploreServer, AnswersItsPageAsBatchDoes) {
  const HttpReply answer = asked_by_page(
      served_,
      "{\"id\":1,\"op\":\"size\",\"args\":[\"(4,8)\"]}\n\n{\"id\":2,\"op\":\"nothing\"}\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body.substr(0, answer.body.find('\n')), R"({"id":1,"ok":true,"result":32})");
  EXPECT_NE(answer.body.find(R"({"id":2,"ok":false,)"), std::string::npos);
}

TEST_F(ExploreServer, GivesTheLayoutsBehindTheAddress) {
  EXPECT_TRUE(served_.address().ends_with("#A=(4,8):(8,1)")) << served_.address();
  EXPECT_EQ(served_.token().size(), 32U);
}

TEST_F(ExploreServer, ServesThePageWithAStrictPolicy) {
  const HttpReply page = asked(served_, "GET /?token=" + served_.token(), host_line(served_));
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.head.find("Content-Security-Policy: default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.head.find("unsafe"), std::string::npos) << page.head;
  EXPECT_NE(page.head.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_NE(page.head.find("X-Content-Type-Options: nosniff"), std::string::npos);
  EXPECT_EQ(asked(served_, "GET /explorer/picture.js", host_line(served_)).status, 200);
}

TEST_F(ExploreServer, RefusesRequestsWithoutTheToken) {
  const std::string size = R"({"op":"size","args":["8"]})";
  EXPECT_EQ(asked(served_, "POST /answer", host_line(served_), size).status, 403);
  std::string wrong = served_.token();
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  for (const std::string& token : {wrong, wrong.substr(1), served_.token() + "0", std::string()}) {
    const std::string headers = host_line(served_) + "X-Heddle-Token: " + token + "\r\n";
    const HttpReply answer = asked(served_, "POST /answer", headers, size);
    EXPECT_EQ(answer.status, 403) << token;
    EXPECT_EQ(answer.body.find("\"ok\""), std::string::npos);
  }
  EXPECT_EQ(asked(served_, "GET /?token=" + wrong, host_line(served_)).status, 403);
  // A token in the address of a request is none: addresses are remembered.
  EXPECT_EQ(
      asked(served_, "POST /answer?token=" + served_.token(), host_line(served_), size).status,
      403);
}

TEST_F(ExploreServer, RefusesOtherHostsAndOtherPages) {
  const std::string size = R"({"op":"size","args":["8"]})";
  const std::string token = "X-Heddle-Token: " + served_.token() + "\r\n";
  const auto status = [&](const std::string& headers) {
    return asked(served_, "POST /answer", headers + token, size).status;
  };
  const std::string own = host_line(served_);
  EXPECT_EQ(status(own), 200);
  EXPECT_EQ(status(fmt::format("Host: localhost:{}\r\n", served_.port())), 200);
  EXPECT_EQ(status(own + fmt::format("Origin: http://{}\r\n", served_.host())), 200);
  for (const char* host : {"evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example"})
    EXPECT_EQ(status(fmt::format("Host: {}\r\n", host)), 403) << host;
  EXPECT_EQ(status(""), 403) << "no host";
  EXPECT_EQ(status(own + "Host: evil.example\r\n"), 403) << "two hosts";
  for (const char* origin : {"http://evil.example", "null", "https://127.0.0.1"})
    EXPECT_EQ(status(own + fmt::format("Origin: {}\r\n", origin)), 403) << origin;
}

TEST_F(ExploreServer, ServesNoFileOfTheDisk) {
  for (const char* path :
       {"/explorer/../../etc/passwd", "/explorer/%2e%2e/%2e%2e/etc/passwd", "/etc/passwd",
        "/explorer//etc/passwd", "/explorer/", "/explorer", "/answers.json", "//etc/passwd",
        "/explorer/picture.js/../../CMakeLists.txt", "/explorer/picture.js%00.css"}) {
    const HttpReply answer = asked(served_, fmt::format("GET {}", path), host_line(served_));
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_EQ(answer.body.find("root:"), std::string::npos) << path;
  }
}

TEST_F(ExploreServer, RefusesHugeBodies) {
  EXPECT_EQ(asked_by_page(served_, std::string((std::size_t{8} << 20) + 1, ' ')).status, 413);
  EXPECT_EQ(asked_by_page(served_, std::string(std::size_t{7} << 20, ' ')).status, 200);
}

TEST_F(ExploreServer, LetsGoOfSlowVisitorsAndAnswersOthersMeanwhile) {
  std::vector<std::unique_ptr<RawConnection>> slow;
  for (int i = 0; i < 4; ++i) {
    slow.push_back(std::make_unique<RawConnection>(served_.port()));
    slow.back()->send_text("POST /answer HTTP/1.1\r\n" + own_headers(served_) +
                           "Content-Length: 100\r\n\r\n{");
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(asked_by_page(served_, R"({"op":"size","args":["8"]})").status, 200);
  for (const auto& connection : slow) (void)connection->answer();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(5));
}

TEST_F(ExploreServer, LetsGoOfAVisitorWhoseRequestNeverEnds) {
  const RawConnection slow(served_.port());
  slow.send_text("POST /answer HTTP/1.1\r\n" + own_headers(served_) +
                 "Content-Length: 1000\r\n\r\n");
  std::atomic<bool> is_answered = false;
  std::thread sender([&] {
    for (int i = 0; i < 900 && !is_answered; ++i) {
      slow.send_text(" ");
      std::this_thread::sleep_for(std::chrono::milliseconds(250));
    }
  });
  const HttpReply reply = reply_of(slow.answer());
  is_answered = true;
  sender.join();
  EXPECT_EQ(reply.status, 408);
  EXPECT_NE(reply.body.find("explore.request"), std::string::npos) << reply.body;
}

TEST_F(ExploreServer, DoesNotServeCommands) {
  for (const char* command : {"relayout", "kernel", "run", "draw", "explore", "layouts"}) {
    const HttpReply answer = asked_by_page(
        served_, Json({{"id", 7}, {"op", command}, {"args", {"/etc/passwd"}}}).dump());
    const Json told = Json::parse(answer.body);
    EXPECT_EQ(told["id"], 7);
    EXPECT_EQ(told["ok"], false) << command;
    EXPECT_EQ(told["error"]["code"], "explore.not_served") << command;
  }
}

TEST_F(ExploreServer, ReadsAndWritesNoFileWhateverIsAsked) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("heddle-explore-{}.svg", getpid());
  for (const std::string& text :
       {fmt::format("draw 4:1 to \"{}\"", file.string()), std::string("recover('/etc/passwd')")}) {
    for (const char* operation : {"read", "eval", "explain", "picture", "recover_report", "show"})
      (void)asked_by_page(served_, Json({{"op", operation}, {"args", {text}}}).dump());
  }
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(ExploreServer, AnswersManyAtATime) {
  std::vector<std::thread> visitors;
  std::array<int, 8> wrong{};
  for (int visitor = 0; visitor < 8; ++visitor) {
    visitors.emplace_back([&, visitor] {
      for (int i = 1; i <= 10; ++i) {
        const Json request = {{"id", i},
                              {"op", "composition"},
                              {"args", {fmt::format("({},8):(8,1)", visitor + 1), "8:1"}}};
        const Json alone = {
            {"id", i}, {"op", "size"}, {"args", {fmt::format("({},{})", visitor + 1, i)}}};
        const HttpReply answer = asked_by_page(served_, request.dump() + "\n" + alone.dump());
        const std::string last = answer.body.substr(answer.body.find('\n') + 1);
        const bool is_right = Json::parse(last)["result"] == (visitor + 1) * i;
        if (!is_right) ++wrong.at(static_cast<std::size_t>(visitor));
      }
    });
  }
  for (std::thread& visitor : visitors) visitor.join();
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

TEST_F(ExploreServer, EndsAtCtrlC) { EXPECT_EQ(served_.end(), 0); }

TEST_F(ExploreServer, AnswersAreNeverPages) {
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"<script>alert(1)</script>",
                                           "(4,8)",
                                           ":",
                                           "(8,1)",
                                           "'",
                                           "\"",
                                           "</script>",
                                           "<!--",
                                           "S[8:1@",
                                           "]",
                                           "&lt;",
                                           "\\u003c"};
  for (int i = 0; i < 100; ++i) {
    std::string text;
    for (std::size_t k = 0; k < 1 + random() % 4; ++k) text += pieces[random() % pieces.size()];
    const HttpReply answer =
        asked_by_page(served_, Json({{"op", "read"}, {"args", {text}}}).dump());
    ASSERT_EQ(answer.status, 200);
    EXPECT_NE(answer.head.find("application/x-ndjson"), std::string::npos);
    EXPECT_NE(answer.head.find("nosniff"), std::string::npos);
    EXPECT_TRUE(Json::accept(answer.body)) << text;
  }
}

// Pages without a server.

class StaticPages : public testing::Test {
 protected:
  const test::Folder files_;
  const std::filesystem::path folder_ = files_.path() / "pages";
};

TEST_F(StaticPages, HoldTheAnswersThatThePageAsksFor) {
  ASSERT_EQ(test::heddle("explore --static '" + folder_.string() + "' '(4,8):(8,1)'").code, 0);
  const Json answers = Json::parse(test::contents(folder_ / "answers.json"));
  const auto answer_to = [&](const Json& request) -> Json {
    for (const Json& entry : answers) {
      if (entry["request"] == request) return entry["answer"];
    }
    return nullptr;
  };
  const Json picture = answer_to({{"op", "picture"},
                                  {"args", {"(4,8):(8,1)"}},
                                  {"kwargs", {{"format", "json"}, {"all", true}}}});
  ASSERT_TRUE(picture.is_object());
  EXPECT_EQ(picture["result"]["panels"][0]["cells"]["text"].size(), 32U);
  EXPECT_EQ(answer_to({{"op", "show"}, {"args", {"(4,8):(8,1)"}}})["ok"], true);
  EXPECT_NE(test::contents(folder_ / "index.html").find("content=\"A=(4,8):(8,1)\""),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "explorer" / "picture.js"));
}

TEST_F(StaticPages, HoldTheAnswersAboutEveryLayoutUnderWhatItsTextAssumes) {
  const std::string text = "assume M%8==0, M>=8; A = (M,4):(4,1); B = 8:1";
  ASSERT_EQ(test::heddle("explore --static '" + folder_.string() + "' '" + text + "'").code, 0);
  std::set<std::string> shown;
  for (const Json& entry : Json::parse(test::contents(folder_ / "answers.json"))) {
    const Json& request = entry["request"];
    if (request["op"] != "show") continue;
    EXPECT_EQ(request["assume"], "M%8==0, M>=8");
    shown.insert(request["args"][0].get<std::string>());
  }
  EXPECT_EQ(shown, (std::set<std::string>{"(M,4):(4,1)", "8:1"}));
}

TEST_F(StaticPages, AreWrittenWholeOrNotAtAll) {
  EXPECT_NE(test::heddle("explore --static '" + folder_.string() + "' '(4,8):(8'").code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_));
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "mine") << "mine";
  const test::Ran refused = test::heddle("explore --static '" + folder_.string() + "' 4:1");
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.output.find("file.unwritable"), std::string::npos) << refused.output;
  EXPECT_EQ(test::contents(folder_ / "mine"), "mine");
}

/// The answers of the folder by the operation and the first argument of their request.
std::multimap<std::pair<std::string, std::string>, Json> answers_in(
    const std::filesystem::path& folder) {
  std::multimap<std::pair<std::string, std::string>, Json> answers;
  for (const Json& entry : Json::parse(test::contents(folder / "answers.json"))) {
    const Json& request = entry["request"];
    if (!request.contains("args") || !request["args"][0].is_string()) continue;
    const auto key =
        std::pair(request["op"].get<std::string>(), request["args"][0].get<std::string>());
    answers.emplace(key, entry);
  }
  return answers;
}

/// Whether there is a picture of the text with a view, or with none for the empty text.
bool has_picture(const std::multimap<std::pair<std::string, std::string>, Json>& answers,
                 const std::string& text, const std::set<std::string>& views) {
  const auto [begin, end] = answers.equal_range({"picture", text});
  return std::any_of(begin, end, [&](const auto& one) {
    const Json& entry = one.second;
    const std::string view = entry["request"]["kwargs"].value("view", "");
    return entry["answer"]["ok"] == true && views.contains(view) &&
           !entry["answer"]["result"]["panels"].empty();
  });
}

TEST_F(StaticPages, HoldTheGalleryWithItsNamesAndItsComments) {
  const std::filesystem::path gallery = std::filesystem::path(HEDDLE_SOURCE_DIR) / "docs/gallery";
  ASSERT_EQ(test::heddle("explore --static '" + folder_.string() + "' '" + gallery.string() +
                         "'/*.heddle")
                .code,
            0);
  const std::string page = test::contents(folder_ / "index.html");
  const auto answers = answers_in(folder_);
  std::size_t layouts = 0;
  for (const auto& file : std::filesystem::directory_iterator(gallery)) {
    if (file.path().extension() != ".heddle") continue;
    ++layouts;
    const std::string text = test::contents(file.path());
    const std::string name = file.path().stem().string();
    EXPECT_TRUE(text.starts_with("# ")) << name << " does not say what it is";
    EXPECT_NE(page.find(name + "=%23%20"), std::string::npos) << name;
    const auto read = answers.find({"read", text});
    ASSERT_NE(read, answers.end()) << name;
    const Json& found = read->second["answer"]["result"]["layouts"];
    ASSERT_EQ(found.size(), 1U) << name;
    const std::string layout = found[0]["text"];
    const auto shown = answers.find({"show", layout});
    ASSERT_NE(shown, answers.end()) << name;
    EXPECT_GE(shown->second["answer"]["result"].size(), 7U) << name << " in all systems";
    EXPECT_TRUE(has_picture(answers, layout, {""})) << name;
    EXPECT_TRUE(has_picture(answers, layout, {"memory", "hardware", "devices"})) << name;
  }
  EXPECT_EQ(layouts, 20U);
  constexpr std::uintmax_t kMost = std::uintmax_t{4} << 20;
  EXPECT_LT(std::filesystem::file_size(folder_ / "answers.json"), kMost);
}

TEST_F(StaticPages, CallAFileByItsNameAndATextByALetter) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / ".A.heddle") << "# four\n4:1\n";
  const std::filesystem::path pages = folder_ / "pages";
  ASSERT_EQ(
      test::heddle(fmt::format("explore --static '{}' 8:1 '{}' '{}' 2:1", pages.string(),
                               (folder_ / ".A.heddle").string(), (folder_ / ".A.heddle").string()))
          .code,
      0);
  EXPECT_NE(test::contents(pages / "index.html")
                .find("content=\"A=8:1&%2EA=%23%20four%0A4:1%0A&B=%23%20four%0A4:1%0A&C=2:1\""),
            std::string::npos);
}

TEST_F(StaticPages, HaveNoMarkupFromLayouts) {
  const std::string layout = "4:1 # \"><script>alert(1)</script><!--";
  ASSERT_EQ(test::heddle("explore --static '" + folder_.string() + "' '" + layout + "'").code, 0);
  const std::string page = test::contents(folder_ / "index.html");
  EXPECT_NE(page.find("%22%3E%3Cscript%3E"), std::string::npos);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_TRUE(Json::accept(test::contents(folder_ / "answers.json")));
}

}  // namespace
}  // namespace heddle
