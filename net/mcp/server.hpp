#pragma once
// The Model Context Protocol, revisions 2024-11-05 to 2026-07-28: messages of clients to answers, without a state
// between them.

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

/// The failure of a request.
struct Failure {
  int code;  ///< of JSON-RPC
  std::string message;
  boost::json::object data = {};
  unsigned http_status = 200;  ///< of an answer by revision 2026-07-28
};

/// How a message came: what the head of its request says of it. Empty: the header is not there.
struct Frame {
  bool is_http = false;
  std::string revision = {};  ///< MCP-Protocol-Version
  std::string method = {};    ///< Mcp-Method
  std::string name = {};      ///< Mcp-Name
  bool is_batch = false;      ///< the message is one of several
};

/// What a message is answered.
struct Answer {
  std::optional<boost::json::object> message = {};  ///< nothing to a notification
  unsigned http_status = 200;
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

  /// The answer to one message. What is no message is answered with a JSON-RPC error. A request that names its revision
  /// in `_meta`, or whose head names one that has no handshake, is answered by revision 2026-07-28; others as before
  /// it.
  [[nodiscard]] Answer answer(boost::json::value const& sent, Frame const& frame);

  /// A failure that belongs to no message, as an answer.
  [[nodiscard]] static std::string text_of(Failure const& failure);

 private:
  using Outcome = boost::system::result<boost::json::object, Failure>;

  /// A request, by the revision that it names.
  [[nodiscard]] Outcome call_by_revision(std::string_view method, boost::json::object const& params,
                                         Frame const& frame);
  [[nodiscard]] Outcome call(std::string_view method, boost::json::object const& params);
  [[nodiscard]] static Outcome initialize(boost::json::object const& params);
  [[nodiscard]] Outcome call_tool(boost::json::object const& params);
  [[nodiscard]] Outcome read_resource(boost::json::object const& params);
  [[nodiscard]] static Outcome get_prompt(boost::json::object const& params);

  Call call_;
};

}  // namespace whence::net::mcp
