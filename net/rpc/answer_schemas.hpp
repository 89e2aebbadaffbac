#pragma once
// What the server sends, as JSON Schema: results of methods, notifications, and the records and forms that they share.

#include "schema/json/writer.hpp"

#include <string_view>

namespace whence::net {

struct Method;

/// Writes the members of the schema of a method's result into the open object. Aborts for a method without a row.
void write_result_schema(schema::json::Writer& out, Method const& method);

/// Writes the member `schemas`, whose names results, notifications and params refer to: a schema for each record type
/// from its field table, `Record` for any of them, `Node`, `Edge`, `Event` and others.
void write_schemas(schema::json::Writer& out);

/// Writes the member `x-notifications`: name, sender, summary and params of each notification.
void write_notifications(schema::json::Writer& out);

}  // namespace whence::net
