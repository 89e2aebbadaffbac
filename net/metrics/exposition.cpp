// Writes samples and heads.

#include "net/metrics/exposition.hpp"

#include <cassert>
#include <charconv>

namespace whence::net {

namespace {

std::string decimal(double value) {
  std::array<char, 32> text{};
  auto const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

/// Without an exponent, as bounds are compared as texts by those who read them.
std::string plain(double value) {
  std::array<char, 32> text{};
  auto const end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  return {text.data(), end};
}

/// Backslash, quote and line feed are escaped in the value of a label.
void append_label(std::string& out, std::string_view name, std::string_view value) {
  if (out.back() != '{') out.push_back(',');
  out.append(name).append("=\"");
  for (char const c : value) {
    if (c == '\\' || c == '"') out.push_back('\\');
    c == '\n' ? out.append("\\n") : out.append(1, c);
  }
  out.push_back('"');
}

}  // namespace

void Exposition::enter(std::string_view namespace_name) {
  namespace_ = namespace_name;
}

void Exposition::add(Metric metric, std::uint64_t value, std::initializer_list<std::string_view> labels) {
  add_text(metric, "", labels, "", std::to_string(value));
}

void Exposition::add(Metric metric, double value, std::initializer_list<std::string_view> labels) {
  add_text(metric, "", labels, "", decimal(value));
}

void Exposition::add_histogram(Metric metric, std::span<double const> bounds, std::span<std::uint64_t const> counts,
                               double sum, std::initializer_list<std::string_view> labels) {
  assert(counts.size() == bounds.size() + 1);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    add_text(metric, "_bucket", labels, i < bounds.size() ? plain(bounds[i]) : "+Inf", std::to_string(counts[i]));
  }
  add_text(metric, "_sum", labels, "", decimal(sum));
  add_text(metric, "_count", labels, "", std::to_string(counts.back()));
}

void Exposition::add_text(Metric metric, std::string_view suffix, std::initializer_list<std::string_view> labels,
                          std::string_view bound, std::string_view value) {
  auto const& info = info_of(metric);
  auto& out = samples_[static_cast<std::size_t>(metric)];
  out.append(info.name).append(suffix);
  bool const is_named = info.scope == MetricScope::store && !namespace_.empty();
  if (is_named || labels.size() > 0 || !bound.empty()) {
    out.push_back('{');
    if (is_named) append_label(out, "namespace", namespace_);
    std::size_t i = 0;
    for (auto const label : labels) append_label(out, info.labels.at(i++), label);
    if (!bound.empty()) append_label(out, "le", bound);
    out.push_back('}');
  }
  out.append(" ").append(value).append("\n");
}

std::string Exposition::text(MetricScope scope) const {
  std::string out;
  for (auto const& info : metrics()) {
    if (info.scope < scope) continue;
    out.append("# HELP ").append(info.name).append(" ").append(info.help).append("\n");
    out.append("# TYPE ").append(info.name).append(" ").append(schema::name_of(info.kind)).append("\n");
    out.append(samples_[static_cast<std::size_t>(info.metric)]);
  }
  return out;
}

}  // namespace whence::net
