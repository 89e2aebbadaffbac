// `whence mcp`: an MCP server on standard input and output, one message a line, for agents that start it.

#include "net/mcp/server.hpp"
#include "net/plain_text/query_value.hpp"
#include "tools/cli/options/target.hpp"
#include "tools/cli/program/program.hpp"

#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>

namespace whence::tools {
namespace {

/// Reads a line of at most `message_bytes_max` into `line`; of a longer one the rest is skipped, and one byte more than
/// allowed is there. False at the end.
bool read_line(std::istream& in, std::string& line) {
  line.clear();
  auto& buffer = *in.rdbuf();
  for (;;) {
    auto const next = buffer.sbumpc();
    if (next == std::istream::traits_type::eof()) return !line.empty();
    if (next == '\n') return true;
    if (line.size() <= net::mcp::message_bytes_max) line += static_cast<char>(next);
  }
}

Result<boost::json::value> result_of_call(Caller& caller, std::string_view method, boost::json::object const& params) {
  auto answer = caller.call(method, params);
  if (!answer) return Error{.code = Errc::invalid_params, .message = answer.error().message};
  return std::move(*answer);
}

/// The answer to a line, without a line break; nothing to notifications.
std::optional<std::string> answer_of(net::mcp::Server& server, std::string_view line) {
  auto const sent = net::mcp::Server::read(line);
  if (!sent) return net::mcp::Server::text_of(sent.error());
  boost::json::array answers;
  for (auto const& message : sent->messages) {
    if (auto answer = server.answer(message, {.is_batch = sent->is_batch}); answer.message)
      answers.push_back(std::move(*answer.message));
  }
  if (answers.empty()) return std::nullopt;
  return net::plain_text::answer_text(sent->is_batch ? boost::json::value(std::move(answers)) : answers.front());
}

ExitCode run(Target const& target, Io& io) {
  auto caller = open_caller(target, MissingStore::is_error, timeout_default);
  if (!caller) return report(io, caller.error());
  net::mcp::Server server{[&](std::string_view method, boost::json::object const& params) {
    return result_of_call(**caller, method, params);
  }};
  for (std::string line; read_line(io.in, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto const answer =
        line.size() > net::mcp::message_bytes_max
            ? R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is too long"}})"
            : answer_of(server, line);
    if (answer) io.data << *answer << '\n' << std::flush;
    if (!io.data) break;
  }
  return ExitCode::ok;
}

}  // namespace

void add_mcp_verb(Program& program) {
  CLI::App& app = program.add_verb("mcp", "Answers an agent by the Model Context Protocol on standard input and output",
                                   Purpose::serve);
  auto target = std::make_shared<Target>();
  add_target_flags(app, *target);
  program.set_work(app, [target](Io& io) { return run(*target, io); });
}

}  // namespace whence::tools
