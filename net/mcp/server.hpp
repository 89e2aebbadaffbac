#pragma once
// The Model Context Protocol, revision 2025-11-25 and before: messages of clients to answers, without a state between
// them.

#include "net/mcp/answer.hpp"

#include <optional>
#include <string>
#include <string_view>

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

  /// The answer to one JSON-RPC message or to a batch of them, without a line break; nothing to notifications. What is
  /// no message is answered with a JSON-RPC error.
  [[nodiscard]] std::optional<std::string> answer(std::string_view message);

 private:
  using Outcome = boost::system::result<boost::json::object, Failure>;

  [[nodiscard]] std::optional<boost::json::object> answer_one(boost::json::value const& sent);
  [[nodiscard]] Outcome call(std::string_view method, boost::json::object const& params);
  [[nodiscard]] static Outcome initialize(boost::json::object const& params);
  [[nodiscard]] Outcome call_tool(boost::json::object const& params);
  [[nodiscard]] Outcome read_resource(boost::json::object const& params);
  [[nodiscard]] static Outcome get_prompt(boost::json::object const& params);

  Call call_;
};

}  // namespace whence::net::mcp
