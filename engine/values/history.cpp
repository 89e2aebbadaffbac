#include "engine/values/history.hpp"

#include <string>
#include <utility>

namespace whence::engine {

Error history_error(std::uint64_t line, std::string message) {
  return error_from(Violation{.code = Errc::invalid_record,
                              .rule = "history",
                              .path = "/line/" + std::to_string(line),
                              .message = "line " + std::to_string(line) + " " + std::move(message)});
}

}  // namespace whence::engine
