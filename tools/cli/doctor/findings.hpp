#pragma once
// What was looked at, what is wrong with it, and what to do about it.

#include "schema/types/named_enum.hpp"
#include "tools/cli/process/exit_code.hpp"
#include "tools/cli/process/io.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

enum class Severity : std::uint8_t { ok, warn, fail };
constexpr std::array<std::string_view, 3> enum_names(Severity) noexcept {
  return {"ok", "warn", "fail"};
}

struct Finding {
  Severity severity = Severity::ok;
  std::string what;         ///< one word for scripts, such as `disk`
  std::string says;         ///< one sentence
  std::string remedy = {};  ///< what to do; empty where nothing is wrong
};

/// Findings in the order in which they were made.
class Findings {
 public:
  void ok(std::string what, std::string says) { all_.push_back({Severity::ok, std::move(what), std::move(says)}); }
  void warn(std::string what, std::string says, std::string remedy) {
    all_.push_back({Severity::warn, std::move(what), std::move(says), std::move(remedy)});
  }
  void fail(std::string what, std::string says, std::string remedy) {
    all_.push_back({Severity::fail, std::move(what), std::move(says), std::move(remedy)});
  }

  [[nodiscard]] std::vector<Finding> const& all() const noexcept { return all_; }
  [[nodiscard]] Severity worst() const noexcept;

 private:
  std::vector<Finding> all_;
};

/// One line each, `LEVEL  WHAT  SAYS`, the remedy below it; or one JSON document
/// `{"level":…,"findings":[{"level","what","says","remedy"}]}`.
void print(Findings const& findings, bool is_json, Io& io);

/// 0 where all is well, 1 where something will go wrong, 8 where something is wrong.
[[nodiscard]] ExitCode exit_of(Severity worst) noexcept;

/// `1.5 GiB`; `3 days`: for people. `seconds` is not negative.
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
[[nodiscard]] std::string time_text(std::int64_t seconds);

}  // namespace whence::tools
