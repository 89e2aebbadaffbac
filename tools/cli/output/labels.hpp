#pragma once
// Labels: what a node is, in a few words, beside its ref.

#include <string>

#include <boost/json/object.hpp>

namespace whence::tools {

/// The label of a node in the wire form: that of its record, what became of its content, or nothing.
[[nodiscard]] std::string label_of_node(boost::json::object const& node);

/// Gives each node of `answer`'s lists that has a record the member `label` instead: an answer of many pages then
/// takes little memory.
void replace_records_by_labels(boost::json::object& answer);

}  // namespace whence::tools
