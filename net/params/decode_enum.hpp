#pragma once
// Enumerators from their names on the wire.

#include "net/params/enum_names.hpp"
#include "schema/base/suggest.hpp"
#include "schema/wire/decode.hpp"

#include <string>
#include <utility>

#include <boost/json/value.hpp>

namespace whence::net {

/// "must be one of" the names of the rows, with commas between, and with the one that may have been meant.
template <class Rows>
[[nodiscard]] std::string must_be_one_of(std::string_view unknown, Rows const& rows) {
  auto const names = schema::names_in(rows);
  std::string message;
  for (auto const name : names) message.append(message.empty() ? "must be one of " : ", ").append(name);
  return message + schema::did_you_mean(unknown, names);
}

/// Rules "type", "enum".
template <class Enum>
void decode_enum(boost::json::value const& value, Enum& into, schema::Path const& at, schema::Report& report) {
  auto const* const text = value.if_string();
  if (text == nullptr) return schema::json::refuse(value, "type", at, report, "must be a string");
  auto const found = find_named<Enum>({text->data(), text->size()});
  if (found) {
    into = *found;
    return;
  }
  schema::json::refuse(value, "enum", at, report, must_be_one_of({text->data(), text->size()}, names_of<Enum>));
}

}  // namespace whence::net
