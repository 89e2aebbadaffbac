#include "tests/cypher/naive/evaluator.hpp"

#include "queries/cypher/evaluate/evaluate.hpp"
#include "queries/cypher/functions/table.hpp"
#include "queries/cypher/values/compare.hpp"

#include <algorithm>
#include <cmath>

namespace whence::tests {
namespace {

constexpr std::uint64_t naive_steps_max = 400'000;

QueryBudget budget() {
  static schema::NoInterrupt const interrupt;
  return {.interrupt = interrupt};
}

bool aggregates(Expression const& expression) {
  if (auto const* call = expression.find<Invocation>()) {
    auto const* function = find_function(call->name);
    if (function != nullptr && function->aggregation != Aggregation::none) return true;
  }
  return std::ranges::any_of(expression.operands,
                             [](ExpressionPtr const& each) { return each != nullptr && aggregates(*each); });
}

bool is_same_list(std::vector<Value> const& a, std::vector<Value> const& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), is_same);
}

void add_names(Pattern const& pattern, std::set<std::string>& names) {
  for (auto const& path : pattern.paths) {
    if (!path.name.empty()) names.insert(path.name);
    for (auto const& node : path.nodes) {
      if (!node.name.empty()) names.insert(node.name);
    }
    for (auto const& relation : path.relations) {
      if (!relation.name.empty()) names.insert(relation.name);
    }
  }
}

}  // namespace

NaiveEvaluator::NaiveEvaluator(NaiveGraph const& head, NaiveMoments const& moments, Map params)
    : head_(&head), moments_(moments), graph_(&head), state_(head, std::move(params), budget(), {}) {}

bool NaiveEvaluator::spend() {
  if (++steps_ > naive_steps_max) answer_.is_too_large = true;
  return !answer_.is_too_large && !answer_.error;
}

Value NaiveEvaluator::fail(std::string why) {
  if (!answer_.error) answer_.error = std::move(why);
  return {};
}

NaiveAnswer NaiveEvaluator::answer(std::string_view text) {
  auto const parsed = parse_statement(text);
  if (!parsed) {
    fail(parsed.error().message);
    return answer_;
  }
  auto const& statement = *parsed;
  if (statement.at) graph_ = graph_at(*statement.at);
  if (answer_.error) return answer_;
  auto const& query = statement.query;
  if (query.parts.size() == 1) {
    static_cast<void>(single(query.parts[0], {}, {}, true));
  } else {
    for (auto& row : run(query, {}, {})) {
      NaiveAnswer::Row made;
      // All parts have the same columns, in the order of the first one.
      for (auto const& item : query.parts[0].clauses.back().projection.items) made.values.push_back(row[item.name]);
      answer_.rows.push_back(std::move(made));
    }
  }
  if (state_.failed()) fail(state_.error()->message);
  return answer_;
}

NaiveGraph const* NaiveEvaluator::graph_at(AtMoment const& at) {
  auto const value = evaluate(*at.expression, {});
  Moment moment{.is_time = at.is_time};
  if (!at.is_time && value.find_integer() != nullptr) {
    moment.tx = *value.find_integer();
  } else if (at.is_time && value.find_date_time() != nullptr) {
    auto const& time = *value.find_date_time();
    moment.time = {.seconds = time.seconds, .nanos = static_cast<std::uint32_t>(time.nanos)};
  } else {
    fail("no moment");
    return head_;
  }
  auto const* found = moments_(moment);
  if (found == nullptr) fail("no such moment");
  return found != nullptr ? found : head_;
}

NaiveEvaluator::Table NaiveEvaluator::run(Query const& query, Map const& start, Names const& names) {
  Table all;
  for (auto const& part : query.parts) {
    for (auto& row : single(part, start, names, false)) all.push_back(std::move(row));
  }
  if (query.keeps_all.empty() || query.keeps_all[0]) return all;
  Table distinct;
  for (auto const& row : all) {
    bool const is_known = std::ranges::any_of(distinct, [&](Map const& known) {
      return std::ranges::all_of(
          row, [&](Map::value_type const& entry) { return is_same(entry.second, known.at(entry.first)); });
    });
    if (!is_known) distinct.push_back(row);
  }
  return distinct;
}

NaiveEvaluator::Table NaiveEvaluator::single(SingleQuery const& part, Map const& start, Names names, bool is_last) {
  Table table{start};
  for (auto const& clause : part.clauses) {
    Table next;
    switch (clause.kind) {
      case ClauseKind::match: {
        auto const* const outer = graph_;
        if (clause.at) graph_ = graph_at(*clause.at);
        Names bound;
        add_names(clause.pattern, bound);
        for (auto const& row : table) {
          auto found = matches(clause.pattern, clause.where.get(), row);
          if (found.empty() && clause.is_optional) {
            found.push_back(row);
            for (auto const& name : bound) found.back().emplace(name, Value{});
          }
          for (auto& each : found) next.push_back(std::move(each));
          if (!spend()) return {};
        }
        names.merge(bound);
        graph_ = outer;
        break;
      }
      case ClauseKind::unwind:
        for (auto const& row : table) {
          auto const value = evaluate(*clause.expression, row);
          if (value.is_null()) continue;
          auto const list = value.find_list() != nullptr ? *value.find_list() : List{value};
          for (auto const& each : list) {
            if (!spend()) return {};
            next.push_back(row);
            next.back()[clause.name] = each;
          }
        }
        names.insert(clause.name);
        break;
      case ClauseKind::with:
      case ClauseKind::returning:
        next = projected(clause, table, names, is_last && clause.kind == ClauseKind::returning);
        break;
      default:
        fail("a clause that the naive evaluator lacks");
        break;
    }
    table = std::move(next);
  }
  return table;
}

std::uint64_t NaiveEvaluator::number_of(Expression const* expression, std::uint64_t otherwise) {
  if (expression == nullptr) return otherwise;
  auto const value = evaluate(*expression, {});
  if (value.find_integer() == nullptr || *value.find_integer() < 0) {
    fail("no number of rows");
    return otherwise;
  }
  return static_cast<std::uint64_t>(*value.find_integer());
}

/// Each row of the result, in order, and what ORDER BY sees of it beside the columns.
NaiveEvaluator::Table NaiveEvaluator::projected(Clause const& clause, Table const& table, Names& names, bool is_last) {
  auto const& what = clause.projection;
  std::vector<ProjectionItem> star;
  for (auto const& name : names) {
    if (!what.has_star) break;
    star.push_back({.expression = make_expression(Variable{name}, {}), .name = name});
  }
  std::vector<ProjectionItem const*> items;
  items.reserve(star.size() + what.items.size());
  for (auto const& item : star) items.push_back(&item);
  for (auto const& item : what.items) items.push_back(&item);
  bool const groups =
      std::ranges::any_of(items, [](ProjectionItem const* item) { return aggregates(*item->expression); });

  struct Made {
    Map row;
    Map seen;  ///< what ORDER BY may name
    std::vector<Value> keys;
  };
  std::vector<Made> made;
  if (groups) {
    for (auto& row : grouped(items, table)) made.push_back({.row = row, .seen = row, .keys = {}});
  } else {
    for (auto const& row : table) {
      if (!spend()) return {};
      Made one;
      for (auto const* item : items) one.row[item->name] = evaluate(*item->expression, row);
      one.seen = one.row;
      if (!what.is_distinct) one.seen.insert(row.begin(), row.end());
      made.push_back(std::move(one));
    }
  }
  if (what.is_distinct) {
    std::vector<Made> distinct;
    for (auto& one : made) {
      bool const is_known = std::ranges::any_of(distinct, [&](Made const& known) {
        return std::ranges::all_of(items, [&](ProjectionItem const* item) {
          return is_same(one.row.at(item->name), known.row.at(item->name));
        });
      });
      if (!is_known) distinct.push_back(std::move(one));
    }
    made = std::move(distinct);
  }
  for (auto& one : made) {
    for (auto const& each : what.order) one.keys.push_back(evaluate(*each.expression, one.seen));
  }
  std::ranges::stable_sort(made, [&](Made const& a, Made const& b) {
    for (std::size_t i = 0; i < a.keys.size(); ++i) {
      auto const c = order(a.keys[i], b.keys[i]);
      if (c != 0) return what.order[i].is_descending ? c > 0 : c < 0;
    }
    return false;
  });
  auto const skip = number_of(what.skip.get(), 0);
  auto const limit = number_of(what.limit.get(), std::numeric_limits<std::uint64_t>::max());
  names.clear();
  for (auto const* item : items) names.insert(item->name);
  if (is_last) {
    answer_.skip = skip;
    answer_.limit = limit;
    for (auto& one : made) {
      NaiveAnswer::Row row{.values = {}, .keys = std::move(one.keys)};
      for (auto const* item : items) row.values.push_back(one.row.at(item->name));
      answer_.rows.push_back(std::move(row));
    }
    return {};
  }
  Table result;
  for (std::uint64_t i = skip; i < made.size() && i - skip < limit; ++i) {
    if (clause.where == nullptr || is_true(*clause.where, made[i].row)) result.push_back(std::move(made[i].row));
  }
  return result;
}

NaiveEvaluator::Table NaiveEvaluator::grouped(std::vector<ProjectionItem const*> const& items, Table const& table) {
  struct Group {
    std::vector<Value> key;
    Table rows;
  };
  std::vector<Group> groups;
  bool has_keys = false;
  for (auto const* item : items) has_keys = has_keys || !aggregates(*item->expression);
  if (!has_keys) groups.emplace_back();
  for (auto const& row : table) {
    if (!spend()) return {};
    std::vector<Value> key;
    for (auto const* item : items) {
      if (!aggregates(*item->expression)) key.push_back(evaluate(*item->expression, row));
    }
    auto found = std::ranges::find_if(groups, [&](Group const& group) { return is_same_list(group.key, key); });
    if (found == groups.end()) found = groups.insert(groups.end(), Group{.key = key, .rows = {}});
    found->rows.push_back(row);
  }
  Table made;
  for (auto const& group : groups) {
    Map row;
    std::size_t at = 0;
    for (auto const* item : items) {
      if (!aggregates(*item->expression)) {
        row[item->name] = group.key[at++];
        continue;
      }
      group_ = &group.rows;
      row[item->name] = evaluate(*item->expression, group.rows.empty() ? Map{} : group.rows.front());
      group_ = nullptr;
    }
    made.push_back(std::move(row));
  }
  return made;
}

Value NaiveEvaluator::aggregated(Invocation const& call, Expression const& expression, Table const& rows) {
  if (call.counts_rows) return static_cast<std::int64_t>(rows.size());
  auto const* const outer = std::exchange(group_, nullptr);
  List values;
  Value fraction;
  for (auto const& row : rows) {
    if (expression.operands.size() > 1) fraction = evaluate(*expression.operands[1], row);
    auto const value = evaluate(*expression.operands[0], row);
    if (value.is_null()) continue;
    if (call.is_distinct && std::ranges::any_of(values, [&](Value const& each) { return is_same(each, value); }))
      continue;
    values.push_back(value);
  }
  group_ = outer;
  if (!spend()) return {};  // what was given up in the middle has no values of the right type
  auto const before = [](Value const& a, Value const& b) { return order(a, b) < 0; };
  auto const count = static_cast<double>(values.size());
  switch (find_function(call.name)->aggregation) {
    case Aggregation::count:
      return static_cast<std::int64_t>(values.size());
    case Aggregation::collect:
      return values;
    case Aggregation::min:
      return values.empty() ? Value{} : *std::ranges::min_element(values, before);
    case Aggregation::max:
      return values.empty() ? Value{} : *std::ranges::max_element(values, before);
    case Aggregation::sum: {
      Value total{std::int64_t{0}};
      for (auto const& each : values) total = apply(Op::add, total, each, state_, {});
      return total;
    }
    case Aggregation::avg: {
      double total = 0;
      for (auto const& each : values) total += each.number();
      return values.empty() ? Value{} : Value{total / count};
    }
    case Aggregation::st_dev:
    case Aggregation::st_dev_p: {
      auto const divisor = find_function(call.name)->aggregation == Aggregation::st_dev ? count - 1 : count;
      if (divisor <= 0) return 0.0;
      double mean = 0;
      for (auto const& each : values) mean += each.number() / count;
      double squares = 0;
      for (auto const& each : values) squares += (each.number() - mean) * (each.number() - mean);
      return std::sqrt(squares / divisor);
    }
    case Aggregation::percentile_disc:
    case Aggregation::percentile_cont: {
      if (values.empty()) return {};
      std::ranges::sort(values, before);
      if (find_function(call.name)->aggregation == Aggregation::percentile_disc) {
        // The least value that at least the wanted share of all is not above.
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (static_cast<double>(i + 1) / count >= fraction.number()) return values[i];
        }
        return values.back();
      }
      auto const place = fraction.number() * (count - 1);
      auto const low = std::floor(place);
      auto const below = values[static_cast<std::size_t>(low)].number();
      auto const above = values[static_cast<std::size_t>(std::ceil(place))].number();
      return below + (above - below) * (place - low);
    }
    case Aggregation::none:
      break;
  }
  return fail("no aggregation");
}

}  // namespace whence::tests
