#pragma once
// Enumerators from their names on the wire.

#include "net/params/enum_names.hpp"
#include "schema/json/decode.hpp"

#include <string>
#include <utility>

#include <boost/json/value.hpp>

namespace whence::net {

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
  std::string message = "must be one of";
  for (auto const& each : names_of<Enum>) message.append(" ").append(each.name);
  schema::json::refuse(value, "enum", at, report, std::move(message));
}

}  // namespace whence::net
