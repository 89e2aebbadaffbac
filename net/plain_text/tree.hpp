#pragma once
// Lineage as a tree of text lines.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>

namespace whence::net::plain_text {

/// A note by ref, printed after the ref.
using NodeNotes = std::map<std::string, std::string, std::less<>>;

/// How a tree is drawn.
struct TreeForm {
  bool has_effects_below = false;  ///< the effects of a node below it, instead of its causes
  std::size_t breadth_max =
      std::numeric_limits<std::size_t>::max();                    ///< nodes listed below one; the others are counted
  std::map<std::string, std::uint64_t, std::less<>> hidden = {};  ///< by ref: neighbours that no edge leads to
  NodeNotes marks = {};     ///< by ref: a word in brackets at the end of the line, such as its status
  bool has_colour = false;  ///< with the escape sequences of terminals (ECMA-48)
  std::size_t columns = 0;  ///< notes are cut so that lines fit; 0: nothing is cut
};

/// `root` and its ancestors over `edges` (in the wire form, in stored direction), one line each: the edge's type and
/// weight (or confidence), the ref, its note. Causes are listed below their effect, strongest first, then by ref. The
/// causes of a node are listed once; a repeated node is marked "(see above)". What is not listed below a node is
/// counted in a last line. The recursion is as deep as the lineage: meant for small neighbourhoods. O(E log E).
[[nodiscard]] std::string render_tree(std::string_view root, boost::json::array const& edges, NodeNotes const& notes,
                                      TreeForm const& form = {});

}  // namespace whence::net::plain_text
