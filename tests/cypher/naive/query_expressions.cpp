// The expressions of random queries, by the kind of value that they give.

#include "tests/cypher/naive/query_maker.hpp"

namespace whence::tests {

std::string QueryMaker::of_kind(Kind kind, int depth) {
  switch (kind) {
    case Kind::integer:
      return integer(depth);
    case Kind::real:
      return real(depth);
    case Kind::text:
      return text(depth);
    case Kind::boolean:
      return boolean(depth);
    default:
      return integers(depth);
  }
}

std::string QueryMaker::integer(int depth) {
  auto const variables = named(Kind::integer);
  auto const nodes = named(Kind::node);
  auto const relations = named(Kind::relation);
  if (depth <= 0 || one_in(4)) {
    switch (below(6)) {
      case 0:
        return one_in(6) ? "null" : one_in(2) ? "$i" : one_in(8) ? "$none" : std::to_string(below(4));
      case 1:
        if (!variables.empty()) return pick(variables);
        [[fallthrough]];
      case 2:
        if (!relations.empty()) return pick(relations) + "." + pick(words_.relation_integers);
        [[fallthrough]];
      case 3:
      case 4:
        if (!nodes.empty()) return pick(nodes) + "." + pick(words_.node_integers);
        [[fallthrough]];
      default:
        return std::to_string(static_cast<std::int64_t>(below(6)) - 1);
    }
  }
  switch (below(19)) {
    case 0:
      return "(" + integer(depth - 1) + " + " + integer(depth - 1) + ")";
    case 1:
      return "(" + integer(depth - 1) + " - " + integer(depth - 1) + ")";
    case 2:
      return "(" + integer(depth - 1) + " * " + std::to_string(below(3)) + ")";
    case 3:
      return "(" + integer(depth - 1) + (one_in(2) ? " % " : " / ") + std::to_string(2 + below(2)) + ")";
    case 4:
      return "(- " + integer(depth - 1) + ")";
    case 5:
      return "size(" + integers(depth - 1) + ")";
    case 6:
      return "size(" + text(depth - 1) + ")";
    case 7:
      return "CASE WHEN " + boolean(depth - 1) + " THEN " + integer(depth - 1) +
             (one_in(2) ? " WHEN " + boolean(depth - 1) + " THEN " + integer(depth - 1) : "") +
             (one_in(3) ? "" : " ELSE " + integer(depth - 1)) + " END";
    case 8:
      return "CASE " + integer(depth - 1) + " WHEN " + integer(depth - 1) + " THEN " + integer(depth - 1) + " ELSE " +
             integer(depth - 1) + " END";
    case 9:
      return "coalesce(" + integer(depth - 1) + ", " + integer(depth - 1) + ")";
    case 10:
      return (one_in(2) ? "abs(" : "sign(") + integer(depth - 1) + ")";
    case 11:
      return integers(depth - 1) + "[" + integer(depth - 1) + "]";
    case 12:
      return (one_in(2) ? "head(" : "last(") + integers(depth - 1) + ")";
    case 13: {
      auto const list = integers(depth - 1);
      auto const total = fresh("t");
      auto const each = fresh("v");
      auto const start = integer(0);
      scope_.push_back({total, Kind::integer});
      scope_.push_back({each, Kind::integer});
      auto const step = one_in(2) ? total + " + " + each : total + " - " + integer(depth - 1);
      scope_.resize(scope_.size() - 2);
      return "reduce(" + total + " = " + start + ", " + each + " IN " + list + " | " + step + ")";
    }
    case 14: {
      auto const paths = named(Kind::path);
      auto const lists = named(Kind::relations);
      auto const searches = named(Kind::search);
      if (!searches.empty()) return "length(" + pick(searches) + ")";
      if (!paths.empty()) return "length(" + pick(paths) + ")";
      if (!lists.empty()) return "size(" + pick(lists) + ")";
      return "toInteger('" + std::to_string(below(9)) + "')";
    }
    case 15:
      if (!nodes.empty()) return "id(" + pick(nodes) + ")";
      return "toInteger(" + real(depth - 1) + ")";
    case 16:
      if (!nodes.empty()) {
        return pick(nodes) + (one_in(2) ? "['" + pick(words_.node_integers) + "']"
                                        : " {." + pick(words_.node_integers) + ", k: 1}.k");
      }
      return "{k: " + integer(depth - 1) + "}.k";
    case 17:
      return "COUNT {" + subquery(depth) + "}";
    default: {
      if (steps_ > 6) return "size(" + integers(depth - 1) + ")";
      // The variables of a pattern comprehension are its own.
      auto const scope = scope_;
      auto const here = relations_here_;
      relations_here_.clear();
      auto made = "size([" + pattern(1, 2, true);
      if (one_in(2)) made += " WHERE " + boolean(depth - 1);
      made += " | " + integer(depth - 1) + "])";
      scope_ = scope;
      relations_here_ = here;
      return made;
    }
  }
}

std::string QueryMaker::real(int depth) {
  auto const variables = named(Kind::real);
  auto const nodes = named(Kind::node);
  auto const relations = named(Kind::relation);
  switch (below(depth <= 0 ? 4 : 8)) {
    case 0:
      if (!variables.empty()) return pick(variables);
      [[fallthrough]];
    case 1:
      if (!relations.empty() && !words_.relation_reals.empty())
        return pick(relations) + "." + pick(words_.relation_reals);
      [[fallthrough]];
    case 2:
      if (!nodes.empty() && !words_.node_reals.empty()) return pick(nodes) + "." + pick(words_.node_reals);
      [[fallthrough]];
    case 3:
      return one_in(5) ? "null" : std::to_string(below(3)) + (one_in(2) ? ".5" : ".25");
    case 4:
      return "(" + real(depth - 1) + " + " + real(depth - 1) + ")";
    case 5:
      return "(" + integer(depth - 1) + " * 0.5)";
    case 6:
      return "toFloat(" + integer(depth - 1) + ")";
    default:
      return "coalesce(" + real(depth - 1) + ", " + real(depth - 1) + ")";
  }
}

std::string QueryMaker::text(int depth) {
  auto const variables = named(Kind::text);
  auto const nodes = named(Kind::node);
  auto const relations = named(Kind::relation);
  switch (below(depth <= 0 ? 5 : 12)) {
    case 0:
      if (!variables.empty()) return pick(variables);
      [[fallthrough]];
    case 1:
    case 2:
      if (!nodes.empty()) return pick(nodes) + "." + pick(words_.node_texts);
      [[fallthrough]];
    case 3:
      if (!relations.empty() && one_in(2)) return "type(" + pick(relations) + ")";
      [[fallthrough]];
    case 4:
      return one_in(6) ? "null" : one_in(4) ? "$s" : quoted(pick(words_.texts));
    case 5:
      return "(" + text(depth - 1) + " + " + text(depth - 1) + ")";
    case 6:
      return (one_in(2) ? "toUpper(" : "reverse(") + text(depth - 1) + ")";
    case 7:
      return "substring(" + text(depth - 1) + ", " + std::to_string(below(3)) + ")";
    case 8:
      return "toString(" + (one_in(2) ? integer(depth - 1) : boolean(depth - 1)) + ")";
    case 9:
      return "CASE WHEN " + boolean(depth - 1) + " THEN " + text(depth - 1) + " ELSE " + text(depth - 1) + " END";
    case 10:
      return "coalesce(" + text(depth - 1) + ", " + text(depth - 1) + ")";
    default:
      return "split(" + text(depth - 1) + ", 'a')[" + std::to_string(below(2)) + "]";
  }
}

/// A condition of conjuncts, as planners take apart.
std::string QueryMaker::condition(int depth) {
  // Most random conditions hold for few rows, and of no rows there is little to compare.
  auto made = one_in(2) ? "coalesce(" + boolean(depth) + ", true)" : boolean(depth, true);
  while (one_in(4)) made += (one_in(4) ? " AND NOT " : " AND ") + boolean(depth - 1, true);
  return made;
}

std::string QueryMaker::boolean(int depth, bool may_be_pattern) {
  auto const variables = named(Kind::boolean);
  auto const nodes = named(Kind::node);
  auto const relations = named(Kind::relation);
  auto const paths = named(Kind::path);
  constexpr char const* comparisons[] = {" = ", " <> ", " < ", " <= ", " > ", " >= "};
  if (depth <= 0 || one_in(5)) {
    switch (below(6)) {
      case 0:
        if (!variables.empty()) return pick(variables);
        [[fallthrough]];
      case 1:
        if (!nodes.empty() && !words_.node_booleans.empty()) return pick(nodes) + "." + pick(words_.node_booleans);
        [[fallthrough]];
      case 2:
        if (!nodes.empty()) return pick(nodes) + ":" + pick(words_.labels);
        [[fallthrough]];
      case 3:
        return one_in(6) ? "null" : one_in(3) ? "false" : "true";
      default:
        return "(" + integer(0) + comparisons[below(6)] + integer(0) + ")";
    }
  }
  switch (below(20)) {
    case 0:
    case 1:
      return "(" + integer(depth - 1) + comparisons[below(6)] + integer(depth - 1) + ")";
    case 2:
      return "(" + integer(depth - 1) + comparisons[below(6)] + integer(depth - 1) + comparisons[below(6)] +
             integer(depth - 1) + ")";
    case 3:
      return "(" + text(depth - 1) + comparisons[below(6)] + text(depth - 1) + ")";
    case 4: {
      constexpr char const* words[] = {" STARTS WITH ", " ENDS WITH ", " CONTAINS "};
      return "(" + text(depth - 1) + words[below(3)] + text(depth - 1) + ")";
    }
    case 5:
      return "(" + integer(depth - 1) + " IN " + integers(depth - 1) + ")";
    case 6:
      return "(" + (one_in(2) ? integer(depth - 1) : text(depth - 1)) + (one_in(2) ? " IS NULL)" : " IS NOT NULL)");
    case 7:
      return "(" + boolean(depth - 1) + " AND " + boolean(depth - 1) + ")";
    case 8:
      return "(" + boolean(depth - 1) + " OR " + boolean(depth - 1) + ")";
    case 9:
      return "(" + boolean(depth - 1) + " XOR " + boolean(depth - 1) + ")";
    case 10:
      return "(NOT " + boolean(depth - 1) + ")";
    case 11: {
      constexpr char const* words[] = {"all", "any", "none", "single"};
      auto const list = integers(depth - 1);
      auto const each = fresh("v");
      scope_.push_back({each, Kind::integer});
      auto const holds = one_in(2) ? "(" + each + comparisons[below(6)] + integer(0) + ")" : boolean(depth - 1);
      scope_.pop_back();
      return std::string{words[below(4)]} + "(" + each + " IN " + list + " WHERE " + holds + ")";
    }
    case 12:
      if (nodes.size() > 1) return "(" + pick(nodes) + (one_in(2) ? " = " : " <> ") + pick(nodes) + ")";
      [[fallthrough]];
    case 13:
    case 14:
      if (!nodes.empty() && steps_ < 8) {
        // A pattern that begins with a node that is known: else it would be an expression in brackets.
        auto const here = relations_here_;
        relations_here_.clear();
        auto made = "(" + pick(nodes) + ")";
        for (auto length = 1 + below(2); length > 0; --length) {
          ++steps_;
          made += relation(false) + node(false);
        }
        relations_here_ = here;
        return may_be_pattern ? made : "exists(" + made + ")";
      }
      [[fallthrough]];
    case 15:
      if (steps_ < 8) return "EXISTS {" + subquery(depth) + "}";
      [[fallthrough]];
    case 16:
      if (!paths.empty()) {
        auto const each = fresh("v");
        bool const is_node = one_in(2);
        auto const list = (is_node ? "nodes(" : "relationships(") + pick(paths) + ")";
        scope_.push_back({each, is_node ? Kind::node : Kind::relation});
        auto const holds = boolean(depth - 1);
        scope_.pop_back();
        return (one_in(2) ? "all(" : "any(") + each + " IN " + list + " WHERE " + holds + ")";
      }
      [[fallthrough]];
    case 17:
      return "(" + integers(depth - 1) + (one_in(2) ? " = " : " <> ") + integers(depth - 1) + ")";
    case 18:
      if (!relations.empty()) return "(type(" + pick(relations) + ") = " + quoted(pick(words_.types)) + ")";
      [[fallthrough]];
    default:
      if (!nodes.empty() && one_in(2)) return "(" + integer(depth - 1) + " = id(" + pick(nodes) + "))";
      return "(" + real(depth - 1) + comparisons[below(6)] + real(depth - 1) + ")";
  }
}

std::string QueryMaker::integers(int depth) {
  auto const variables = named(Kind::integers);
  auto const nodes = named(Kind::node);
  if (depth <= 0 || one_in(4)) {
    if (!variables.empty() && one_in(2)) return pick(variables);
    if (!nodes.empty() && !words_.node_lists.empty() && one_in(2)) return pick(nodes) + "." + pick(words_.node_lists);
    if (one_in(4)) return "$l";
    std::string made = "[";
    for (auto count = below(4); count > 0; --count) made += (made.size() == 1 ? "" : ", ") + integer(0);
    return made + "]";
  }
  switch (below(7)) {
    case 0:
      return "range(0, " + std::to_string(below(4)) + ")";
    case 1: {
      auto const list = integers(depth - 1);
      auto const each = fresh("v");
      scope_.push_back({each, Kind::integer});
      auto made = "[" + each + " IN " + list;
      if (one_in(2)) made += " WHERE " + boolean(depth - 1);
      if (one_in(2)) made += " | " + integer(depth - 1);
      scope_.pop_back();
      return made + "]";
    }
    case 2:
      return "(" + integers(depth - 1) + " + " + integers(depth - 1) + ")";
    case 3:
      return (one_in(2) ? "tail(" : "reverse(") + integers(depth - 1) + ")";
    case 4:
      return integers(depth - 1) + "[" + (one_in(3) ? "" : integer(0)) + ".." +
             (one_in(3) ? "" : std::to_string(static_cast<std::int64_t>(below(5)) - 2)) + "]";
    case 5: {
      auto const paths = named(Kind::path);
      auto const lists = named(Kind::relations);
      if (paths.empty() && lists.empty()) return "[" + integer(depth - 1) + "]";
      bool const is_nodes = !paths.empty() && (lists.empty() || one_in(2));
      auto const each = fresh("v");
      scope_.push_back({each, is_nodes ? Kind::node : Kind::relation});
      auto made = "[" + each + " IN " +
                  (is_nodes        ? "nodes(" + pick(paths) + ")"
                   : lists.empty() ? "relationships(" + pick(paths) + ")"
                                   : pick(lists));
      made += " | " + integer(depth - 1) + "]";
      scope_.pop_back();
      return made;
    }
    default:
      return "coalesce(" + integers(depth - 1) + ", [])";
  }
}

/// What stands in EXISTS and COUNT: a pattern, or a query.
std::string QueryMaker::subquery(int depth) {
  auto const scope = scope_;
  auto const here = std::exchange(relations_here_, {});
  std::string made = one_in(3) ? "" : " MATCH ";
  made += pattern(0, 2, true);
  if (made.starts_with(" MATCH")) {
    if (words_.newest > 0 && one_in(5)) made += " " + moment();
    if (one_in(2)) made += " WHERE " + boolean(depth - 2);
    if (one_in(4)) {
      made += " WITH " + integer(1) + " AS s WHERE s > 0 RETURN s";
    } else if (one_in(2)) {
      made += " RETURN " + integer(1) + " AS s";
    }
  } else if (one_in(2)) {
    made += " WHERE " + boolean(depth - 2);
  }
  scope_ = scope;
  relations_here_ = here;
  return made;
}

}  // namespace whence::tests
