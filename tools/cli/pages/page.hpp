#pragma once
// The page of a node as text: its parts, each the answer of a method, and how each is printed.

#include "schema/types/record_type.hpp"
#include "tools/cli/process/io.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::tools {

/// The node that a page is about, as `node.get` answered it with its record and status.
struct PageNode {
  std::string ref;
  schema::RecordType type;
  boost::json::object record;  ///< empty where its content is gone
  std::string mark;            ///< its status, or that it is gone; empty: active
};

/// One part: what is asked, and who prints it. Its name is its member in `--json`.
struct PagePart {
  std::string_view name;
  std::string_view method;
  boost::json::object params;
  void (*print)(PageNode const& node, boost::json::object const& answer, Io& io);
};

/// The parts of a node's page, in their order: those of its type, else those that every node has. All of them are
/// bounded.
[[nodiscard]] std::vector<PagePart> parts_of(PageNode const& node);

/// What comes before them: the ref, the type, and what the record says.
void print_record(PageNode const& node, Io& io);

}  // namespace whence::tools
