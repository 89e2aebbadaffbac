#pragma once
// What formats are told of one node and of one edge.

#include "queries/export/attribute.hpp"
#include "queries/render/forms.hpp"
#include "queries/view.hpp"
#include "schema/base/error.hpp"
#include "schema/records/records.hpp"

#include <functional>
#include <string>
#include <vector>

namespace whence::exports {

/// What the graph alone says of a node.
[[nodiscard]] Node describe(graph::Snapshot const& snapshot, schema::VertexId vertex);

/// Adds what its record says, and calls `visit` with the node. Fails with `corrupt`.
[[nodiscard]] Result<void> take_record(queries::View const& view, schema::Record&& record, Node& node,
                                       std::function<void(Node const&)> const& visit);

/// What an edge's form in answers holds beside its ends, type and transaction, into `carried`.
void take_carried(queries::View const& view, queries::StoredEdge const& edge, std::vector<Attribute>& carried);

/// The text of an attachment whose record only names it; empty for others. Fails with `corrupt`.
[[nodiscard]] Result<std::string> text_apart(queries::View const& view, schema::XmlMessageAttachment const& attachment);

}  // namespace whence::exports
