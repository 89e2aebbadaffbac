#pragma once
// Lineage as a tree of text lines.

#include <map>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>

namespace whence::net::plain_text {

/// A note by ref, printed after the ref.
using NodeNotes = std::map<std::string, std::string, std::less<>>;

/// `root` and its ancestors over `edges` (in the wire form, in stored direction), one line each: the edge's type and
/// weight (or confidence), the ref, its note. Causes are listed below their effect, strongest first, then by ref. The
/// causes of a node are listed once; a repeated node is marked "(see above)". The recursion is as deep as the lineage:
/// meant for small neighbourhoods. O(E log E).
[[nodiscard]] std::string render_tree(std::string_view root, boost::json::array const& edges, NodeNotes const& notes);

}  // namespace whence::net::plain_text
