// The patterns of random queries.

#include "tests/cypher/naive/query_maker.hpp"

#include <algorithm>

namespace whence::tests {

std::string QueryMaker::pattern(std::uint64_t least, std::uint64_t longest, bool may_bind) {
  std::string made;
  std::string name;
  if (may_bind && one_in(6)) {
    name = fresh("p");
    made = name + " = ";
  }
  made += node(may_bind);
  for (auto length = least + std::min(below(longest + 1 - least), below(longest + 1 - least)); length > 0; --length) {
    ++steps_;
    made += relation(may_bind) + node(may_bind);
  }
  if (!name.empty()) scope_.push_back({name, Kind::path});
  return made;
}

std::string QueryMaker::node(bool may_bind) {
  std::string made = "(";
  auto const known = named(Kind::node);
  std::string own;
  if (!known.empty() && one_in(3)) {
    made += pick(known);
  } else if (may_bind && !one_in(5)) {
    own = fresh("n");
    made += own;
  }
  if (one_in(8)) made += ":" + pick(words_.labels);
  if (one_in(20)) {
    made += one_in(3) ? " {" + pick(words_.node_texts) + ": " + text(1) + "}"
                      : " {" + pick(words_.node_integers) + ": " + integer(1) + "}";
  }
  if (!own.empty()) scope_.push_back({own, Kind::node});
  return made + ")";
}

std::string QueryMaker::relation(bool may_bind) {
  bool const is_variable = open_walks_ < 2 && one_in(4);
  auto const direction = below(5);  // out 2, in 1, any 2
  std::string made = direction == 2 ? "<-[" : "-[";
  std::string name;
  auto known = named(Kind::relation);
  std::erase_if(known, [&](std::string const& each) { return std::ranges::count(relations_here_, each) > 0; });
  if (!is_variable && !known.empty() && one_in(6)) {
    made += known[0];
    relations_here_.push_back(known[0]);
  } else if (may_bind && one_in(2)) {
    name = fresh("r");
    made += name;
    relations_here_.push_back(name);
  }
  if (one_in(2)) {
    made += ":" + pick(words_.types);
    if (one_in(3)) made += "|" + pick(words_.types);
  }
  if (is_variable) {
    ++open_walks_;
    switch (below(6)) {
      case 0:
        made += "*";
        break;
      case 1:
        made += "*.." + std::to_string(1 + below(3));
        break;
      case 2:
        made += "*" + std::to_string(below(3)) + "..";
        break;
      case 3:
        made += "*" + std::to_string(below(4));
        break;
      default:
        made += "*" + std::to_string(below(2)) + ".." + std::to_string(1 + below(3));
        break;
    }
  }
  if (one_in(20)) {
    made += one_in(2) || words_.relation_reals.empty() ? " {" + pick(words_.relation_integers) + ": " + integer(1) + "}"
                                                       : " {" + pick(words_.relation_reals) + ": " + real(1) + "}";
  }
  if (!name.empty()) scope_.push_back({name, is_variable ? Kind::relations : Kind::relation});
  return made + (direction < 2 ? "]->" : "]-");
}

std::string QueryMaker::search(bool is_clause) {
  auto const kind = below(3);
  std::string const word = kind == 0 ? "shortestPath" : kind == 1 ? "allShortestPaths" : "strongestPath";
  std::string made;
  std::string name;
  if (is_clause) {
    name = fresh("p");
    made = name + " = ";
  }
  made += word + "(" + node(is_clause);
  made += one_in(4) ? "<-[" : "-[";
  auto const is_in = made[made.size() - 3] == '<';
  if (one_in(2)) made += ":" + pick(words_.types);
  made += "*";
  if (kind != 2) {
    auto const bounds = below(4);
    if (bounds == 0) made += "0..";
    if (bounds == 1) made += ".." + std::to_string(1 + below(4));
  } else if (one_in(2)) {
    made += "0..";
  }
  if (one_in(10)) made += " {" + pick(words_.relation_integers) + ": " + integer(0) + "}";
  made += is_in || one_in(3) ? "]-" : "]->";
  made += node(is_clause) + ")";
  // Of several shortest paths any is right.
  if (!name.empty()) scope_.push_back({name, kind == 1 ? Kind::path : Kind::search});
  return made;
}

}  // namespace whence::tests
