#pragma once
// The Model Context Protocol, revision 2025-11-25 and before: messages of clients to answers, without a state between
// them.

#include "net/mcp/answer.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net::mcp {

/// The largest message taken.
inline constexpr std::size_t message_bytes_max = std::size_t{1} << 20;

/// Whether a protocol revision such as `2025-11-25` is spoken.
[[nodiscard]] bool is_known_revision(std::string_view revision) noexcept;

/// The failure of a request.
struct Failure {
  int code;  ///< of JSON-RPC
  std::string message;
};

[[noreturn]] void throw_exception_from_error(Failure const& failure, boost::source_location const& where);

/// Offers the tools, records and texts as resources, and a prompt. Not safe to use from several threads.
class Server {
 public:
  explicit Server(Call call) : call_(std::move(call)) {}

  /// What was sent: one JSON-RPC message, or a batch of them, each to be answered on its own.
  struct Sent {
    std::vector<boost::json::value> messages = {};
    bool is_batch = false;
  };
  /// The failure is the answer, a JSON-RPC error: to what is no JSON, no batch, or says something twice.
  [[nodiscard]] static boost::system::result<Sent, Failure> read(std::string_view text);

  /// The answer to one message; nothing to a notification. What is no message is answered with a JSON-RPC error.
  [[nodiscard]] std::optional<boost::json::object> answer(boost::json::value const& sent);

  /// A failure that belongs to no message, as an answer.
  [[nodiscard]] static std::string text_of(Failure const& failure);

 private:
  using Outcome = boost::system::result<boost::json::object, Failure>;

  [[nodiscard]] Outcome call(std::string_view method, boost::json::object const& params);
  [[nodiscard]] static Outcome initialize(boost::json::object const& params);
  [[nodiscard]] Outcome call_tool(boost::json::object const& params);
  [[nodiscard]] Outcome read_resource(boost::json::object const& params);
  [[nodiscard]] static Outcome get_prompt(boost::json::object const& params);

  Call call_;
};

}  // namespace whence::net::mcp
