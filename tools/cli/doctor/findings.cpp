// Prints findings.

#include "tools/cli/doctor/findings.hpp"

#include "net/plain_text/shown.hpp"
#include "schema/json/json.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace whence::tools {
namespace {

namespace json = boost::json;

constexpr std::string_view margin = "                    ";  // below SAYS

std::string with_unit(std::uint64_t count, std::string_view unit) {
  return std::to_string(count) + " " + std::string{unit} + (count == 1 ? "" : "s");
}

}  // namespace

Severity Findings::worst() const noexcept {
  auto worst = Severity::ok;
  for (auto const& each : all_) worst = std::max(worst, each.severity);
  return worst;
}

void print(Findings const& findings, bool is_json, Io& io) {
  if (is_json) {
    json::array listed;
    for (auto const& each : findings.all()) {
      json::object one{{"level", schema::name_of(each.severity)}, {"what", each.what}, {"says", each.says}};
      if (!each.remedy.empty()) one.emplace("remedy", each.remedy);
      listed.push_back(std::move(one));
    }
    json::object const whole{{"level", schema::name_of(findings.worst())}, {"findings", std::move(listed)}};
    io.data << schema::json::to_text(whole) << '\n';
    return;
  }
  for (auto const& each : findings.all()) {
    io.data << std::left << std::setw(6) << schema::name_of(each.severity) << std::setw(13) << each.what << ' '
            << net::plain_text::shown(each.says) << '\n';
    if (!each.remedy.empty()) io.data << margin << "-> " << net::plain_text::shown(each.remedy) << '\n';
  }
}

ExitCode exit_of(Severity worst) noexcept {
  if (worst == Severity::ok) return ExitCode::ok;
  return worst == Severity::warn ? ExitCode::failure : ExitCode::verification_failed;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  std::ostringstream out;
  out << std::fixed << std::setprecision(unit == 0 || value >= 100 ? 0 : 1) << value << ' ' << units[unit];
  return out.str();
}

std::string time_text(std::int64_t seconds) {
  constexpr std::uint64_t minute = 60;
  constexpr std::uint64_t hour = 60 * minute;
  constexpr std::uint64_t day = 24 * hour;
  auto const whole = static_cast<std::uint64_t>(std::max<std::int64_t>(seconds, 0));
  if (whole >= 2 * day) return with_unit(whole / day, "day");
  if (whole >= 2 * hour) return with_unit(whole / hour, "hour");
  if (whole >= 2 * minute) return with_unit(whole / minute, "minute");
  return with_unit(whole, "second");
}

}  // namespace whence::tools
