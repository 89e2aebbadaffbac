// The clauses of random queries.
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
  if (one_in(3)) made += " WHERE " + condition(3);
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
  if (one_in(4)) made += " SKIP " + std::to_string(below(3));
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
      add(std::string{"length("}.append(each).append(") AS ").append(name), {name, Kind::integer});
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
      add(std::string{expression}.append(" AS ").append(name), {name, kind});
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

}  // namespace whence::tests
