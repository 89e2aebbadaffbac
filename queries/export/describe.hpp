#pragma once
// The content of one node and of one edge, in the form that formats take.

#include "queries/export/attribute.hpp"
#include "queries/render/forms.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/records/records.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::exports {

/// Makes `node` say what the graph alone knows of `vertex`. It may have been another node before.
void describe(graph::Snapshot const& snapshot, schema::VertexId vertex, Node& node);

/// Adds the record, which is adapted to the moment and outlives the node's visit. `has_json`: also as text.
/// `is_shortened`: without references to deleted nodes; relations of PROV, which are text, never have them. Fails with
/// `corrupt`.
[[nodiscard]] Result<void> take_record(queries::View const& view, schema::Record& record, bool has_json,
                                       bool is_shortened, Node& node);

/// Puts the attributes of an edge, apart from its ends, type and transaction, into `carried`.
void take_carried(queries::View const& view, queries::StoredEdge const& edge, std::vector<Attribute>& carried);

/// Calls `visit(name, kind)` for each attribute that an edge of a type may have.
void for_each_possible_attribute(schema::EdgeType type, std::function<void(std::string_view, Kind)> const& visit);

/// The text of an attachment whose record only names a blob; empty for others. Fails with `corrupt`.
[[nodiscard]] Result<std::string> text_apart(queries::View const& view, schema::XmlMessageAttachment const& attachment);

}  // namespace whence::exports
