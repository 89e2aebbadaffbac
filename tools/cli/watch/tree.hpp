#pragma once
// The tree of the log that is watched, as it was seen last: a log that is continued otherwise is a fork.

#include "schema/proof/merkle.hpp"
#include "tools/cli/transport/caller.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace whence::tools {

/// Says what to ask of a server beside the events, and compares what it answers. A value without I/O.
///
/// Each tree that was taken begins with the one before it. What a server refuses to show, and a smaller tree, which
/// only its own server could compare with the larger one, is not compared. Signatures are not verified: no key is known
/// here.
class SeenTree {
 public:
  struct Request {
    std::string_view method;
    boost::json::object params = {};
  };

  /// Of a new connection: nothing is waited for.
  void restart() noexcept;

  /// What to ask now; nothing while an answer is waited for, or where the server refuses.
  [[nodiscard]] std::optional<Request> next();

  /// Takes the answer, a whole message, of the server of this name. Gives what to ask next. Fails with
  /// `verification_failed` where neither tree begins with the other.
  [[nodiscard]] CallResult<std::optional<Request>> take(std::string const& server, boost::json::object answer);

 private:
  [[nodiscard]] CallResult<void> compare(std::string const& server, schema::proof::TreeHead const& now,
                                         boost::json::object const& shown);

  std::optional<schema::proof::TreeHead> seen_ = {};
  std::optional<schema::proof::TreeHead> asked_ = {};  ///< the one that is compared with it
  bool is_waiting_ = false;
  bool is_refused_ = false;
};

}  // namespace whence::tools
