#pragma once
// The interface for calling a method of the protocol: on a server over HTTP, or on a store opened in this process.

#include "schema/base/error.hpp"
#include "tools/cli/process/exit_code.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

namespace whence::tools {

/// The failure of a call.
struct CallError {
  ExitCode exit = ExitCode::failure;
  std::string message = {};                ///< one line for people
  boost::json::value rpc_error = nullptr;  ///< the JSON-RPC `error` object; null if there was no answer
  bool has_begun = true;                   ///< false: no server has begun to carry the call out
};

/// The exit code and message of a failure.
[[nodiscard]] CallError call_error(Error const& error);

/// The failure of a verb whose own input is wrong, found before anything was asked.
[[nodiscard]] CallError invalid_input(std::string message);

[[noreturn]] void throw_exception_from_error(CallError const& error, boost::source_location const& where);

template <class T>
using CallResult = boost::system::result<T, CallError>;

/// Answers may nest deeper than requests: a record's own depth plus the members around it.
inline constexpr std::size_t answer_depth_max = 128;

/// The text of a JSON-RPC request; `params` is the text of a JSON object.
[[nodiscard]] std::string request_text(std::int64_t id, std::string_view method, std::string_view params);

/// The `result` member of an answer, or the error it holds instead.
[[nodiscard]] CallResult<boost::json::value> result_of(boost::json::object&& answer);

/// Calls methods one at a time. Not safe to use from several threads.
class Caller {
 public:
  virtual ~Caller() = default;

  /// Calls `method` with `params`, the text of a JSON object, and waits. Returns the `result` member of the answer, or
  /// the failure.
  [[nodiscard]] CallResult<boost::json::value> call(std::string_view method, std::string_view params);
  [[nodiscard]] CallResult<boost::json::value> call(std::string_view method, boost::json::object const& params);

 private:
  [[nodiscard]] virtual CallResult<boost::json::value> perform(std::string_view method, std::string_view params) = 0;
};

/// A caller that exchanges texts with one server.
class TextCaller : public Caller {
 private:
  [[nodiscard]] CallResult<boost::json::value> perform(std::string_view method, std::string_view params) final;

  /// Sends one JSON-RPC request and returns the text of its answer.
  [[nodiscard]] virtual CallResult<std::string> exchange(std::string request) = 0;
};

}  // namespace whence::tools
