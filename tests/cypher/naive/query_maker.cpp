#include "tests/cypher/naive/query_maker.hpp"

#include <algorithm>

namespace whence::tests {

using queries::cypher::List;
using queries::cypher::Value;

QueryMaker::QueryMaker(Vocabulary const& words, std::uint64_t seed) : words_(words), random_(seed) {}

std::vector<std::string> QueryMaker::named(Kind kind) const {
  std::vector<std::string> found;
  for (auto const& each : scope_) {
    if (each.kind == kind) found.push_back(each.name);
  }
  return found;
}

std::string QueryMaker::next() {
  sorts_lists_ = false;
  next_name_ = 0;
  open_walks_ = 0;
  steps_ = 0;
  params_ = {{"i", Value{static_cast<std::int64_t>(below(4))}},
             {"s", Value{pick(words_.texts)}},
             {"l", Value{List{Value{std::int64_t{1}}, Value{static_cast<std::int64_t>(below(3))}, Value{}}}},
             {"none", Value{}}};
  if (words_.newest > 0) {
    params_["tx"] = static_cast<std::int64_t>(below(words_.newest + 1));
    params_["time"] = pick(words_.times);
  }
  std::string made;
  if (words_.newest > 0 && one_in(5)) made += moment() + " ";
  if (!one_in(10)) return made + single(false);
  made += single(true);
  std::string const joined = one_in(2) ? " UNION " : " UNION ALL ";
  for (auto parts = 1 + below(2); parts > 0; --parts) made.append(joined).append(single(true));
  return made;
}

std::string QueryMaker::moment() {
  switch (below(4)) {
    case 0:
      return "AT TX $tx";
    case 1:
      return one_in(2) ? "AT TIME datetime($time)" : "AT TIME datetime('" + pick(words_.times) + "')";
    default:
      return "AT TX " + std::to_string(below(words_.newest + 1));
  }
}

std::string QueryMaker::single(bool is_union_part) {
  scope_.clear();
  std::string made;
  auto const clauses = 1 + below(one_in(2) ? 2 : 4);
  for (std::uint64_t i = 0; i < clauses; ++i) {
    auto const what = below(10);
    if (what < 6 || (i == 0 && what < 8)) {
      made += match();
    } else if (what < 7) {
      made += unwind();
    } else {
      made += with();
    }
    made += " ";
  }
  return made + returning(is_union_part);
}

std::string QueryMaker::match() {
  relations_here_.clear();
  std::string made = one_in(4) ? "OPTIONAL MATCH " : "MATCH ";
  if (one_in(10)) {
    made += search(true);
  } else {
    made += pattern(0, 3, true);
    if (one_in(4)) made += ", " + pattern(0, 1, true);
  }
  if (words_.newest > 0 && one_in(4)) made += " " + moment();
  if (one_in(4)) made += " WHERE " + condition(3);
  return made;
}

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

std::string QueryMaker::unwind() {
  auto const list = integers(2);
  auto const name = fresh("u");
  scope_.push_back({name, Kind::integer});
  return "UNWIND " + list + " AS " + name;
}

std::string QueryMaker::window() {
  std::string made;
  if (one_in(6)) made += " SKIP " + std::to_string(below(3));
  if (one_in(2)) made += one_in(4) ? " LIMIT $i" : " LIMIT " + std::to_string(1 + below(6));
  return made;
}

std::string QueryMaker::order_by(std::vector<Name> const& columns, bool is_total) {
  std::vector<Name> keys = columns;
  std::ranges::shuffle(keys, random_);
  if (!is_total) keys.resize(1 + below(keys.size()));
  std::string made;
  for (auto const& each : keys) {
    made += (made.empty() ? " ORDER BY " : ", ") + each.name;
    if (one_in(3)) made += one_in(2) ? " DESC" : " ASC";
  }
  return made;
}

std::string QueryMaker::aggregation(std::vector<std::string> const& integer_keys, Kind& kind) {
  kind = Kind::integer;
  std::string const distinct = one_in(3) ? "DISTINCT " : "";
  switch (below(11)) {
    case 0:
      return "count(*)";
    case 1: {
      auto const nodes = named(Kind::node);
      return "count(" + distinct + (nodes.empty() || one_in(2) ? integer(1) : pick(nodes)) + ")";
    }
    case 2:
      return "sum(" + distinct + integer(1) + ")";
    case 3:
      return "min(" + integer(1) + ")";
    case 4:
      return "max(" + integer(1) + ")";
    case 5:
      kind = Kind::text;
      return one_in(2) ? "min(" + text(1) + ")" : "max(" + text(1) + ")";
    case 6:
      kind = Kind::real;
      return "avg(" + distinct + integer(1) + ")";
    case 7:
      return "size(collect(" + distinct + integer(1) + "))";
    case 8:
      // A power of two keeps halves from being rounded by chance.
      return std::string{"toInteger(round("} + (one_in(2) ? "stDev" : "stDevP") + "(" + integer(1) + ") * 65536))";
    case 9:
      kind = Kind::real;
      return "toFloat(" + std::string{one_in(2) ? "percentileCont" : "percentileDisc"} + "(" + integer(1) + ", 0." +
             std::to_string(below(10)) + "))";
    default:
      return integer_keys.empty() ? "count(*) + 1" : "count(*) + " + integer_keys[below(integer_keys.size())];
  }
}

std::string QueryMaker::with() {
  std::vector<Name> after;
  std::string items;
  auto const add = [&](std::string const& item, Name const& name) {
    items += (items.empty() ? "" : ", ") + item;
    after.push_back(name);
  };
  auto const add_computed = [&] {
    constexpr Kind kinds[] = {Kind::integer, Kind::integer, Kind::text, Kind::boolean, Kind::integers, Kind::real};
    auto const kind = kinds[below(6)];
    auto const expression = of_kind(kind, 2);
    auto const name = fresh("c");
    add(expression + " AS " + name, {name, kind});
  };
  auto const lengths = named(Kind::search);
  bool const aggregates = one_in(3);
  bool const is_distinct = one_in(4);
  bool const is_star = lengths.empty() && !aggregates && !scope_.empty() && one_in(5);
  if (is_star) {
    items = "*";
    after = scope_;
    if (one_in(2)) add_computed();
  } else {
    for (auto const& each : scope_) {
      if (each.kind == Kind::search || one_in(aggregates ? 2 : 4)) continue;
      if (one_in(6)) {
        auto const name = fresh("a");
        add(each.name + " AS " + name, {name, each.kind});
      } else {
        add(each.name, each);
      }
    }
    for (auto const& each : lengths) {
      auto const name = fresh("c");
      add("length(" + each + ") AS " + name, {name, Kind::integer});
    }
    for (auto count = below(2); count > 0; --count) add_computed();
    std::vector<std::string> keys;
    for (auto const& each : after) {
      // Only a variable that is a column under its own name may stand beside an aggregation.
      if (each.kind == Kind::integer &&
          std::ranges::any_of(scope_, [&](Name const& known) { return known.name == each.name; }))
        keys.push_back(each.name);
    }
    for (auto count = aggregates ? 1 + below(2) : 0; count > 0; --count) {
      Kind kind{};
      auto const expression = aggregation(keys, kind);
      auto const name = fresh("c");
      add(expression + " AS " + name, {name, kind});
    }
    if (after.empty()) add_computed();
  }
  std::string made = is_distinct ? "WITH DISTINCT " : "WITH ";
  made += items;
  auto const cut = one_in(4) ? window() : "";
  if (!cut.empty() || one_in(8)) made += order_by(after, true);
  made += cut;
  scope_ = after;
  if (one_in(5)) made += " WHERE " + condition(2);
  return made;
}

std::string QueryMaker::returning(bool is_union_part) {
  if (is_union_part) {
    std::string made = one_in(3) ? "RETURN DISTINCT " : "RETURN ";
    made += integer(2) + " AS a, " + text(2) + " AS b";
    if (one_in(3)) made += order_by({{"a", Kind::integer}, {"b", Kind::text}}, true) + window();
    return made;
  }
  std::vector<Name> columns;
  std::string items;
  bool const aggregates = one_in(3);
  bool is_collecting = false;
  auto const add = [&](std::string const& expression, Kind kind) {
    auto const name = fresh("c");
    items += (items.empty() ? "" : ", ") + expression + " AS " + name;
    columns.push_back({name, kind});
  };
  for (auto const& each : scope_) {
    if (each.kind == Kind::search) {
      add("length(" + each.name + ")", Kind::integer);
    } else if (!one_in(3)) {
      add(each.name, each.kind);
    }
  }
  for (auto count = below(3); count > 0; --count) {
    constexpr Kind kinds[] = {Kind::integer, Kind::text, Kind::boolean, Kind::integers, Kind::real};
    auto const kind = kinds[below(5)];
    add(of_kind(kind, 3), kind);
  }
  if (aggregates) {
    for (auto count = 1 + below(2); count > 0; --count) {
      Kind kind{};
      auto const expression = aggregation({}, kind);
      add(expression, kind);
    }
  } else if (one_in(8)) {
    is_collecting = sorts_lists_ = true;
    auto const scope = scope_;
    relations_here_.clear();
    auto const list = "[" + pattern(1, 2, true) + " | " + integer(1) + "]";
    scope_ = scope;
    items += (items.empty() ? "" : ", ") + list + " AS " + fresh("c");
  }
  if (aggregates && one_in(3)) {
    is_collecting = sorts_lists_ = true;
    items += ", collect(" + integer(1) + ") AS " + fresh("c");
  }
  if (items.empty()) add(integer(2), Kind::integer);
  std::string made = !is_collecting && one_in(4) ? "RETURN DISTINCT " : "RETURN ";
  made += items;
  bool const is_distinct = made.starts_with("RETURN DISTINCT");
  if (one_in(3) && !columns.empty()) {
    made += order_by(columns, false);
    // Beside columns, ORDER BY sees what was there before.
    if (!is_distinct && !aggregates && one_in(3)) made += ", " + integer(1);
  }
  if (one_in(3)) made += window();
  return made;
}

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
