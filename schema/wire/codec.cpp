// Records from and to their wire form.
#include "schema/wire/codec.hpp"

#include "schema/base/report.hpp"
#include "schema/base/time_text.hpp"
#include "schema/json/json.hpp"
#include "schema/records/record_fields.hpp"
#include "schema/wire/context_json.hpp"
#include "schema/wire/decode.hpp"
#include "schema/wire/written_members.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>
#include <utility>

namespace whence::schema::json {
namespace {

namespace bj = boost::json;

/// The record to fill, by `$type$`; where there is none, `report` has the violation.
std::optional<Record> choose_record(bj::value const& element, Report& report) {
  Path const root;
  auto const* const object = element.if_object();
  if (object == nullptr) {
    refuse(element, "record_type", root, report, "a record must be an object");
    return std::nullopt;
  }
  Path const at{root, type_member};
  auto const* const name = object->if_contains(type_member);
  if (name == nullptr) {
    report.add(at, "record_type", "", "a record must say its $type$");
    return std::nullopt;
  }
  auto const type = name->is_string() ? find_record_type(name->get_string()) : std::nullopt;
  auto record = type ? blank_record(*type) : std::nullopt;
  if (!record) {
    auto const asked = name->is_string() ? std::string_view{name->get_string()} : std::string_view{};
    refuse(*name, "record_type", at, report, "is no record type" + alternatives(asked, names_in(record_types())));
  }
  return record;
}

template <class T>
void decode_into(bj::object const& object, T& record, Report& report) {
  Path const root;
  std::size_t const known = decode_members(object, record, root, report);
  if (known + 1 != object.size()) {  // besides `$type$`
    if constexpr (requires { refuse_server_fields(object, record, root, report); }) {
      refuse_server_fields(object, record, root, report);
    }
    refuse_unknown<T>(object, root, report, type_member);
  }
  if constexpr (requires { check_json(record, root, report); }) check_json(record, root, report);
  if constexpr (requires { note_left_out(object, record); }) note_left_out(object, record);
}

/// Members that are null in a record that otherwise keeps what is left out.
void keep_cleared(bj::object const& object, IncomingRecord& incoming, Record const& record) {
  bool const is_discussion = std::holds_alternative<Discussion>(record);
  if (!is_discussion && !std::holds_alternative<DiscussionRound>(record)) return;
  for (auto const& member : object) {
    bool const is_its =
        is_discussion ? has_member<Discussion>(member.key()) : has_member<DiscussionRound>(member.key());
    if (member.value().is_null() && is_its) incoming.cleared.emplace_back(member.key());
  }
}

void keep_unknown(bj::value const& element, IncomingRecord& incoming) {
  for (Violation const& violation : incoming.violations) {
    if (violation.rule != "unknown_field") continue;
    bj::error_code failed;
    auto const* const value = element.find_pointer(violation.path, failed);
    if (value != nullptr) incoming.unknown.push_back({violation.path, to_text(*value)});
  }
}

void write(Writer& out, std::string const& value) {
  out.value(value);
}
void write(Writer& out, double value) {
  out.value(value);
}
void write(Writer& out, float value) {
  out.value(value);
}
void write(Writer& out, std::int64_t value) {
  out.value(value);
}
void write(Writer& out, Time value) {
  append_rfc3339(out.raw("\"").out(), value.seconds, value.nanos);
  out.out().push_back('"');
}
void write(Writer& out, EpochMs value) {
  out.value(value.value);
}
void write(Writer& out, bool value) {
  out.value(value);
}
template <NamedEnum Enum>
void write(Writer& out, Enum value) {
  out.value(name_of(value));
}
void write(Writer& out, Attributes const& value) {
  out.raw(value.json);
}
void write(Writer& out, QuestionSet const& value) {
  out.raw(value.json);
}
void write(Writer& out, ProvAttributes const& value) {
  out.raw(value.json);
}
void write(Writer& out, PrefixMap const& value) {
  out.begin_object();
  for (auto const& [prefix, iri] : value.entries) out.member(prefix, iri);
  out.end_object();
}
template <class T>
void write(Writer& out, std::vector<T> const& items);
template <Described T>
void write(Writer& out, T const& value);

template <Described T>
void write_members(Writer& out, T const& value) {
  for_each_written(value, [&](std::string_view name, auto const& member) { write(out.key(name), member); });
}

template <class T>
void write(Writer& out, std::vector<T> const& items) {
  out.begin_array();
  for (T const& item : items) write(out, item);
  out.end_array();
}

template <Described T>
void write(Writer& out, T const& value) {
  out.begin_object();
  write_members(out, value);
  out.end_object();
}

}  // namespace

IncomingRecord decode_record(bj::value const& element, std::vector<std::string> const& duplicates, Source source) {
  IncomingRecord incoming;
  Report report = source == Source::copy ? Report::of_copy(incoming.violations) : Report{incoming.violations};
  auto record = choose_record(element, report);
  if (!record) {
    incoming.is_usable = false;
    return incoming;
  }
  for (std::string const& pointer : duplicates) {
    report.add(pointer, "duplicate_member", "", "a member may occur once in an object");
  }
  std::visit([&](auto& each) { decode_into(element.get_object(), each, report); }, *record);
  keep_unknown(element, incoming);
  keep_cleared(element.get_object(), incoming, *record);
  incoming.record = *std::move(record);
  return incoming;
}

void write_record(Writer& out, Record const& record) {
  out.begin_object().member(type_member, name_of(type_of(record)));
  std::visit([&](auto const& each) { write_members(out, each); }, record);
  out.end_object();
}

void write_wanted_members(Writer& out, Record const& record,
                          std::function<bool(std::string_view name, bool is_blank)> const& is_wanted) {
  out.member(type_member, name_of(type_of(record)));
  std::visit(
      [&]<class T>(T const& each) {
        static T const blank = {};
        for_each_field<T>([&](auto const& field) {
          auto const& member = each.*field.member;
          bool const is_blank = member == blank.*field.member;
          if constexpr (requires { member.has_value(); }) {
            if (member && is_wanted(field.name, is_blank)) write(out.key(field.name), *member);
          } else {
            bool const is_to_be_made = field.presence == Presence::made && is_left_out(member);
            if (!is_to_be_made && is_wanted(field.name, is_blank)) write(out.key(field.name), member);
          }
        });
      },
      record);
}

void for_each_name(Record const& record, std::function<void(std::string_view)> const& visit) {
  std::visit(
      [&](auto const& each) { for_each_written(each, [&](std::string_view name, auto const&) { visit(name); }); },
      record);
}

std::string to_text(Record const& record) {
  std::string text;
  Writer out{text};
  write_record(out, record);
  return text;
}

}  // namespace whence::schema::json
