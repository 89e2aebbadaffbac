// Changing and validating records.
#include "tests/schema/json/wire.hpp"

#include "schema/json/json.hpp"
#include "schema/stored/codec.hpp"
#include "schema/wire/codec.hpp"

#include <algorithm>
#include <ostream>

#include <boost/json/value.hpp>

namespace whence::schema::test {
namespace {

/// One step of a JSON Pointer, unescaped to a member name.
std::string unescaped(std::string_view step) {
  std::string name;
  for (std::size_t i = 0; i < step.size(); ++i) {
    bool const is_escape = step[i] == '~' && i + 1 < step.size();
    name.push_back(is_escape ? (step[++i] == '1' ? '/' : '~') : step[i]);
  }
  return name;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, Case const& each) {
  return out << each.name;
}

std::string changed(std::string_view base, std::string_view path, std::string_view value) {
  auto document = json::parse(base).value().value;
  bool const is_removal = path.starts_with('-');
  if (is_removal) path.remove_prefix(1);
  auto const last = path.rfind('/');
  auto& owner = last == 0 ? document : document.at_pointer(path.substr(0, last));
  if (is_removal && owner.is_array()) {
    owner.as_array().erase(owner.as_array().begin() + std::stol(std::string{path.substr(last + 1)}));
  } else if (is_removal) {
    owner.as_object().erase(path.substr(last + 1));
  } else if (owner.is_object()) {
    owner.as_object()[unescaped(path.substr(last + 1))] = json::parse(value).value().value;
  } else {
    owner.as_array().at(std::stoul(std::string{path.substr(last + 1)})) = json::parse(value).value().value;
  }
  return json::to_text(document);
}

IncomingRecord validate(std::string_view record) {
  auto const document = json::parse(record).value();
  auto incoming = json::decode_record(document.value, document.duplicates);
  check(incoming, {.latest_time = latest});
  return incoming;
}

std::string verdict(std::string_view record) {
  auto violations = validate(record).violations;
  std::ranges::sort(violations, {}, &Violation::path);
  std::string text;
  for (Violation const& each : violations) text.append(text.empty() ? "" : "; ").append(each.rule + ' ' + each.path);
  return text;
}

std::string quoted(std::size_t count, std::string_view unit_text) {
  std::string text = "\"";
  for (std::size_t i = 0; i < count; ++i) text.append(unit_text);
  return text.append("\"");
}

std::string uses(std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) {
    text.append(i == 0 ? "" : ",").append(R"({"context_unit_id":"cu_)" + std::to_string(i) + R"(","weight":)");
    text.append(std::to_string(1.0 / static_cast<double>(count))).append("}");
  }
  return text.append("]");
}

std::string list_of(std::size_t count, std::string_view item) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text.append(i == 0 ? "" : ",").append(item);
  return text.append("]");
}

std::string without_nulls(std::string_view record) {
  auto document = json::parse(record).value().value;
  auto& members = document.as_object();
  for (auto member = members.begin(); member != members.end();) {
    member = member->value().is_null() ? members.erase(member) : member + 1;
  }
  return json::to_canonical_text(document);
}

Record stored_and_read(Record const& record) {
  auto words = stored::encode(record);
  auto read = stored::decode(type_of(record), stored::bytes_of(words)).value();
  set_node_id(read, node_id_of(record));
  return read;
}

}  // namespace whence::schema::test
