// Reading and writing of refs.
#include "schema/types/ref.hpp"

#include "schema/base/report.hpp"
#include "schema/base/suggest.hpp"
#include "schema/encoding/percent.hpp"

#include <charconv>
#include <ostream>

namespace whence::schema {
namespace {

Error bad_ref(std::string_view text, std::string message) {
  return error_from(Violation{
      .code = Errc::invalid_params, .rule = "ref", .path = "", .seen = shown(text), .message = std::move(message)});
}

/// How ids begin that are refs without their type: "cu_, resp_, fb_ or dec_".
std::string bare_beginnings() {
  std::string text;
  std::string_view last;
  for (RecordTypeInfo const& row : record_types()) {
    if (!row.has_bare_refs) continue;
    if (!last.empty()) text.append(text.empty() ? "" : ", ").append(last);
    last = row.made_prefix;
  }
  return text.append(" or ").append(last);
}

}  // namespace

std::string join_key(std::initializer_list<std::string_view> parts) {
  std::string joined;
  bool is_first = true;
  for (std::string_view const part : parts) {
    if (!is_first) joined.push_back('/');
    is_first = false;
    append_percent_encoded(joined, part, [](char c) { return c != '%' && c != '/'; });
  }
  return joined;
}

std::vector<std::string> split_key(std::string_view id) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < id.size(); ++i) {
    std::string_view const escape = id.substr(i, 3);
    if (id[i] == '/') {
      parts.emplace_back();
    } else if (escape == "%25" || escape == "%2F") {
      parts.back().push_back(escape == "%25" ? '%' : '/');
      i += 2;
    } else {
      parts.back().push_back(id[i]);
    }
  }
  return parts;
}

std::int64_t number_in_key(std::string_view part) noexcept {
  std::int64_t number = 0;
  std::from_chars(part.data(), part.data() + part.size(), number);
  return number;
}

Result<NodeRef> parse_ref(std::string_view text) {
  // An id may hold colons itself: only a head that names a type is a type.
  if (auto const colon = text.find(':'); colon != std::string_view::npos) {
    if (auto const type = find_record_type(text.substr(0, colon))) {
      if (!info(*type).is_node) return bad_ref(text, std::string{name_of(*type)} + " is no node");
      if (colon + 1 == text.size()) return bad_ref(text, "the ref has no id");
      return NodeRef{*type, std::string{text.substr(colon + 1)}};
    }
  }
  for (RecordTypeInfo const& row : record_types()) {
    if (row.has_bare_refs && text.starts_with(row.made_prefix)) return NodeRef{row.type, std::string{text}};
  }
  auto const head = text.substr(0, text.find(':'));
  auto const type = head.size() < text.size() ? most_similar(head, names_in(record_types())) : std::string_view{};
  return bad_ref(
      text,
      "a ref is Type:id, or an id that starts " + bare_beginnings() +
          (type.empty() ? "" : "; did you mean `" + std::string(type) + std::string(text.substr(head.size())) + "`?"));
}

void append_ref(std::string& out, RecordType type, std::string_view id) {
  out.append(name_of(type)).append(1, ':').append(id);
}

std::string format_ref(RecordType type, std::string_view id) {
  std::string result;
  append_ref(result, type, id);
  return result;
}

std::string format_ref(NodeRef const& ref) {
  return format_ref(ref.type, ref.id);
}

std::ostream& operator<<(std::ostream& out, NodeRef const& ref) {
  return out << format_ref(ref);
}

}  // namespace whence::schema
