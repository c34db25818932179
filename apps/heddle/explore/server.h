#pragma once

// The explorer's server: it serves the page and answers its requests, to this machine alone.
//
//   HEDDLE_TRY(const std::unique_ptr<ExploreServer> server, ExploreServer::make(0, environment));
//   server->address()          http://127.0.0.1:43817/?token=5f0c…
//   server->run();             until stop(), from another thread
//
// It listens on 127.0.0.1. A request must be sent to this address by the page itself and have the
// token (explore/serving.h); what it may ask are the operations of `heddle batch`, which read and
// write no files.

#include <memory>
#include <string>

#include "heddle/core/result.h"
#include "heddle/notation/evaluator.h"

namespace heddle::app {

class ExploreServer {
 public:
  /// Begins to listen on the port; 0 for any that is free. Refuses `explore.no_server` for a port
  /// that is taken, and `explore.no_server` in a build without cpp-httplib.
  [[nodiscard]] static Result<std::unique_ptr<ExploreServer>> make(
      int port, const notation::Environment& environment);
  virtual ~ExploreServer() = default;

  /// The page's address, with the token.
  [[nodiscard]] virtual std::string address() const = 0;
  /// Answers until it is stopped.
  virtual void run() = 0;
  /// Gives up what is being answered, and ends run(); from any thread.
  virtual void stop() = 0;
};

}  // namespace heddle::app
