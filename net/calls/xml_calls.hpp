#pragma once
// xml.validate, xml.build and xml.instructions: the XML contract as calls, and the parts of its documents as JSON. Pure
// functions of their params; on a worker, since a document of the largest size takes longer than other connections
// should wait.

#include "net/rpc/method.hpp"
#include "schema/base/error.hpp"
#include "schema/base/fields.hpp"
#include "schema/base/report.hpp"
#include "schema/json/writer.hpp"
#include "schema/xml/parts.hpp"

#include <string>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net {

/// `valid`, `format`, `parts`, `warnings`. Fails with `invalid_xml` naming rule and place.
[[nodiscard]] Result<std::string> validate_xml(ServiceState& service, boost::json::object const& params,
                                               Progress const& progress);

/// `xml`. Fails with `invalid_xml` where no document can hold the parts.
[[nodiscard]] Result<std::string> build_xml(ServiceState& service, boost::json::object const& params,
                                            Progress const& progress);

/// `version`, `text`. Never fails.
[[nodiscard]] Result<std::string> xml_instructions(ServiceState& service, boost::json::object const& params,
                                                   Progress const& progress);

/// The params of `xml.build` as OpenRPC content descriptors: its own, then every member that parts have.
void write_build_params(schema::json::Writer& out);

/// Writes parts as an object: `format` first, then the members of their tables, lists also where they are empty.
void write_parts(schema::json::Writer& out, schema::XmlParts const& parts);

}  // namespace whence::net
