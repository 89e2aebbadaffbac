// JSON Pointers from chains of steps, and the list of what is wrong.
#include "schema/base/report.hpp"

#include "schema/base/limits.hpp"
#include "schema/base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace whence::schema {
namespace {

/// Whether `inner` is the place `outer` or one below it; the whole document counts as a place of its own.
bool holds(std::string_view outer, std::string_view inner) noexcept {
  if (outer.empty()) return inner.empty();
  return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '/');
}

template <class Number>
std::string to_text(Number value) {
  std::array<char, 32> buffer = {};
  auto const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

}  // namespace

std::string shown(double value) {
  return to_text(value);
}
std::string shown(std::int64_t value) {
  return to_text(value);
}
std::string shown(std::uint64_t value) {
  return to_text(value);
}

std::string shown(std::string_view text) {
  return std::string{"\""}.append(cut(text, limits::seen_bytes_max - 2)).append("\"");
}

void append_step(std::string& pointer, std::string_view step) {
  pointer.push_back('/');
  for (char const c : step) {
    if (c == '~') {
      pointer.append("~0");
    } else if (c == '/') {
      pointer.append("~1");
    } else {
      pointer.push_back(c);
    }
  }
}

std::string Path::pointer() const {
  if (parent_ == nullptr) return {};
  std::string result = parent_->pointer();
  if (is_item_) {
    result.append(1, '/').append(std::to_string(item_));
  } else {
    append_step(result, member_);
  }
  return result;
}

bool Report::has(std::string_view pointer) const noexcept {
  return std::ranges::any_of(into_, [&](Violation const& each) { return holds(each.path, pointer); });
}

bool Report::has(Path const& at) const {
  return !is_empty() && has(at.pointer());
}

bool Report::has_within(Path const& at) const {
  if (is_empty()) return false;
  std::string const pointer = at.pointer();
  return has(pointer) || std::ranges::any_of(into_, [&](Violation const& each) { return holds(pointer, each.path); });
}

void Report::add(Path const& at, std::string_view rule, std::string_view seen, std::string message) {
  add(at.pointer(), rule, seen, std::move(message));
}

void Report::add(std::string pointer, std::string_view rule, std::string_view seen, std::string message) {
  if (into_.size() >= limits::record_violations_max || has(std::string_view{pointer})) return;
  into_.push_back({.code = code_,
                   .rule = std::string{rule},
                   .path = std::move(pointer),
                   .seen = cut(seen, limits::seen_bytes_max),
                   .message = std::move(message)});
}

}  // namespace whence::schema
