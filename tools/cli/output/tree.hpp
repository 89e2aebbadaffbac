#pragma once
// Lineage drawn as a tree.

#include <map>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>

namespace whence::tools {

/// What to say about a node beside its ref.
using NodeNotes = std::map<std::string, std::string, std::less<>>;

/// `root` and its ancestors over `edges` (in the wire form, as drawn), one line each: the edge's type and weight (or
/// confidence), the ref, its note. Causes stand below their effect, strongest first, then by ref. A node with causes of
/// its own is taken apart once; where it comes again, the line says so. Deep lineages nest deeply: meant for
/// neighbourhoods that people look at. O(E log E).
[[nodiscard]] std::string draw_tree(std::string_view root, boost::json::array const& edges, NodeNotes const& notes);

}  // namespace whence::tools
