// Checks of bounds, and the sentences of their violations.
#include "schema/checks/bounds.hpp"

#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"

#include <cmath>
#include <limits>

namespace whence::schema {
namespace {

std::string range_message(Rule const& rule) {
  bool const has_min = std::isfinite(rule.number_min);
  bool const has_max = std::isfinite(rule.number_max);
  if (has_min && has_max) return "must be from " + shown(rule.number_min) + " to " + shown(rule.number_max);
  if (has_min) return "must be at least " + shown(rule.number_min);
  return has_max ? "must be at most " + shown(rule.number_max) : "must be a finite number";
}

std::string between(std::size_t min, std::size_t max, std::string_view what) {
  std::string text = "must have ";
  if (max == std::numeric_limits<std::size_t>::max()) {
    text.append("at least ").append(std::to_string(min));
  } else if (min == 0) {
    text.append("at most ").append(std::to_string(max));
  } else {
    text.append(std::to_string(min)).append(" to ").append(std::to_string(max));
  }
  return text.append(1, ' ').append(what);
}

void check_id(std::string const& value, Rule const& rule, Path const& at, Report& report) {
  if (!value.starts_with(rule.prefix)) {
    report.add(at, "prefix", shown(value), "must start with " + std::string{rule.prefix});
  } else if (value.size() <= rule.prefix.size() || value == rule.bare_prefix) {
    report.add(at, "id", shown(value), value.empty() ? "must not be empty" : "the prefix alone is no id");
  } else if (value.size() > limits::id_bytes_max) {
    report.add(at, "id", shown(value), "must have at most " + std::to_string(limits::id_bytes_max) + " bytes");
  } else if (has_control_character(value)) {
    report.add(at, "id", shown(value), "must not hold control characters");
  }
}

void check_term(std::string const& value, Path const& at, Report& report) {
  constexpr std::string_view white_space = " \t\r\n";
  if (value.find_first_not_of(white_space) == std::string::npos) {
    report.add(at, "id", shown(value), "must not be blank");
  } else if (value.size() > limits::term_max && code_points(value) > limits::term_max) {
    report.add(at, "id", shown(value), "must have at most " + std::to_string(limits::term_max) + " characters");
  } else if (has_control_character(value)) {
    report.add(at, "id", shown(value), "must not hold control characters");
  }
}

void check_length(std::string const& value, Rule const& rule, Path const& at, Report& report) {
  // A text of n bytes has n/4 to n code points: most need no counting.
  if (value.size() / 4 >= rule.length_min && value.size() <= rule.length_max) return;
  std::size_t const length = code_points(value);
  if (length >= rule.length_min && length <= rule.length_max) return;
  report.add(at, "length", shown(value), between(rule.length_min, rule.length_max, "characters"));
}

void check_json(std::string const& json, std::size_t bytes_max, Path const& at, Report& report) {
  if (!is_utf8(json)) {
    report.add(at, "utf8", "", "must be UTF-8");
  } else if (json.size() > bytes_max) {
    report.add(at, "size", json, "must be at most " + std::to_string(bytes_max) + " bytes as compact JSON");
  }
}

template <class Integer>
void check_integer(Integer value, Rule const& rule, Path const& at, Report& report) {
  // Bounds of integers are below 2^53, where binary64 compares exactly enough: a rounded value stays on its side.
  auto const number = static_cast<double>(value);
  if (number >= rule.number_min && number <= rule.number_max) return;
  report.add(at, "range", shown(value), range_message(rule));
}

}  // namespace

void check_bounds(std::string const& value, Rule const& rule, Path const& at, Report& report) {
  if (!is_utf8(value)) {
    report.add(at, "utf8", "", "must be UTF-8");
  } else if (rule.form == TextForm::id) {
    check_id(value, rule, at, report);
  } else if (rule.form == TextForm::term) {
    check_term(value, at, report);
  } else {
    check_length(value, rule, at, report);
  }
}

void check_bounds(double value, Rule const& rule, Path const& at, Report& report) {
  if (std::isfinite(value) && value >= rule.number_min && value <= rule.number_max) return;
  report.add(at, "range", shown(value), range_message(rule));
}

void check_bounds(std::int64_t value, Rule const& rule, Path const& at, Report& report) {
  check_integer(value, rule, at, report);
}

void check_bounds(std::uint64_t value, Rule const& rule, Path const& at, Report& report) {
  check_integer(value, rule, at, report);
}

void check_bounds(Attributes const& value, Rule const& /*rule*/, Path const& at, Report& report) {
  check_json(value.json, limits::attributes_bytes_max, at, report);
}

void check_bounds(QuestionSet const& value, Rule const& /*rule*/, Path const& at, Report& report) {
  check_json(value.json, limits::questions_bytes_max, at, report);
}

void check_bounds(ProvAttributes const& value, Rule const& /*rule*/, Path const& at, Report& report) {
  check_json(value.json, limits::prov_attributes_bytes_max, at, report);
}

void check_bounds(PrefixMap const& value, Rule const& /*rule*/, Path const& at, Report& report) {
  Rule rule;
  rule.length_max = limits::prov_name_max;
  rule.items_max = limits::prov_prefixes_max;
  for (auto const& [prefix, iri] : value.entries) {
    Path const place{at, prefix};
    if (is_utf8(prefix)) check_bounds(prefix, rule, place, report);
    check_bounds(iri, rule, place, report);
    if (!is_utf8(prefix)) report.add(at, "utf8", "", "must be UTF-8");
  }
  check_item_count(value.entries.size(), rule, at, report);
}

void check_item_count(std::size_t count, Rule const& rule, Path const& at, Report& report) {
  if (count >= rule.items_min && count <= rule.items_max) return;
  report.add(at, "items", shown(std::uint64_t{count}), between(rule.items_min, rule.items_max, "items"));
}

}  // namespace whence::schema
