#include "engine/plan/findings.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

namespace whence::engine {
namespace {

Violation violation_of(std::uint32_t index, Findings::Finding finding) {
  return {.code = finding.code,
          .rule = std::string(finding.rule),
          .path = std::move(finding.path),
          .index = index,
          .seen = std::move(finding.seen),
          .message = std::move(finding.message),
          .expected = finding.expected};
}

}  // namespace

std::string Findings::as_given(std::uint32_t index, std::string path) const {
  constexpr std::string_view list = "/relations/";
  auto const places = relations_.find(index);
  if (places == relations_.end() || !path.starts_with(list)) return path;
  std::uint32_t item = 0;
  auto const read = std::from_chars(path.data() + list.size(), path.data() + path.size(), item);
  if (read.ec != std::errc{} || item >= places->second.size()) return path;
  return std::string(list) + std::to_string(places->second[item]) +
         path.substr(static_cast<std::size_t>(read.ptr - path.data()));
}

void Findings::add(std::uint32_t index, Finding finding) {
  finding.path = as_given(index, std::move(finding.path));
  auto& violations = batch_.records[index].violations;
  bool const is_reported = std::any_of(violations.begin(), violations.end(),
                                       [&](Violation const& each) { return each.path == finding.path; });
  if (!is_reported) violations.push_back(violation_of(index, std::move(finding)));
}

void Findings::warn(std::uint32_t index, Finding finding) {
  finding.path = as_given(index, std::move(finding.path));
  warnings_.push_back(violation_of(index, std::move(finding)));
}

void Findings::warn(std::uint32_t index, Violation warning) {
  warning.index = index;
  warning.code = Errc::invalid_record;  // meaningless in a warning: the same in all, as in kept answers
  warnings_.push_back(std::move(warning));
}

std::vector<Violation> Findings::take_violations() {
  std::vector<Violation> all;
  for (std::uint32_t i = 0; i < batch_.records.size(); ++i) {
    for (auto& violation : batch_.records[i].violations) {
      violation.index = i;
      all.push_back(std::move(violation));
    }
  }
  return all;
}

}  // namespace whence::engine
