#pragma once
// Printing lineages as trees.

#include "tools/cli/process/io.hpp"

#include <string_view>

#include <boost/json/object.hpp>

namespace whence::tools {

/// The tree below `root` of an answer's `edges`. The notes of its `nodes` come from their records and statuses;
/// `start` is a further answer with nodes, such as the root's, or null.
void print_tree(std::string_view root, boost::json::object const& answer, boost::json::object const* start, Io& io);

/// A tree from the traced node (in what was `asked`) to the context units; deleted sources are part of it, marked.
void show_trace(boost::json::object const& asked, boost::json::object const& result, Io& io);

/// The answer of `lineage.graph` as a tree from the node asked about, which is among the nodes, up or down. Causes (or
/// effects) that are not in the answer are counted where they belong.
void show_why(boost::json::object const& asked, boost::json::object const& result, Io& io);

}  // namespace whence::tools
