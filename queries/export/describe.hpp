#pragma once
// The content of one node and of one edge, in the form that formats take.

#include "queries/export/attribute.hpp"
#include "queries/render/forms.hpp"
#include "queries/view.hpp"
#include "schema/base/error.hpp"
#include "schema/records/records.hpp"

#include <functional>
#include <string>
#include <vector>

namespace whence::exports {

/// A node with what the graph alone knows of it.
[[nodiscard]] Node describe(graph::Snapshot const& snapshot, schema::VertexId vertex);

/// Adds the record, and calls `visit` with the node. Fails with `corrupt`.
[[nodiscard]] Result<void> take_record(queries::View const& view, schema::Record&& record, Node& node,
                                       std::function<void(Node const&)> const& visit);

/// Puts the attributes of an edge, apart from its ends, type and transaction, into `carried`.
void take_carried(queries::View const& view, queries::StoredEdge const& edge, std::vector<Attribute>& carried);

/// The text of an attachment whose record only names a blob; empty for others. Fails with `corrupt`.
[[nodiscard]] Result<std::string> text_apart(queries::View const& view, schema::XmlMessageAttachment const& attachment);

}  // namespace whence::exports
