// Each check narrows `chosen_`, the rows that passed those before it, and labels go first. Texts are compared as
// columns have them; rows of which a column does not know enough are evaluated one by one.
#include "queries/cypher/batch/filter_stage.hpp"

#include "queries/cypher/evaluate/evaluate.hpp"
#include "queries/cypher/plan/pattern_facts.hpp"
#include "queries/cypher/run/predicates.hpp"
#include "queries/cypher/values/compare.hpp"

#include <algorithm>
#include <utility>

namespace whence::queries::cypher {
namespace {

/// What a predicate says of properties of one node, if it says no more than that they are values that are fixed.
std::optional<TextCheck> properties_asked(Predicate const& predicate) {
  if (predicate.expression == nullptr) return std::nullopt;
  auto const& expression = *predicate.expression;
  TextCheck check{.slot = predicate.slot};
  auto const* map = expression.find<MapLiteral>();
  if (predicate.kind == Predicate::Kind::properties && map != nullptr) {
    for (std::size_t i = 0; i < map->keys.size(); ++i)
      check.parts.push_back({map->keys[i], expression.operands[i].get()});
  } else if (predicate.kind == Predicate::Kind::condition && is_equality(expression)) {
    auto const side = property_read(*expression.operands[0]).slot != no_slot ? 0U : 1U;
    auto const read = property_read(*expression.operands[side]);
    check.slot = read.slot;
    check.parts.push_back({read.name, expression.operands[1 - side].get()});
  }
  // The values are the same for all rows.
  bool const are_fixed =
      std::ranges::all_of(check.parts, [](auto const& part) { return part.value->template is<Literal, Parameter>(); });
  return check.parts.empty() || !are_fixed ? std::nullopt : std::optional{std::move(check)};
}

class FilterStage final : public Stage {
 public:
  struct Check {
    Predicate const* predicate;
    Column column = 0;  ///< of labels and texts
    std::vector<NameId> labels = {};
    bool has_unknown_label = false;  ///< that no node has
    std::optional<TextCheck> texts = {};
    RowFiller filler = {};  ///< of what is looked at row by row

    [[nodiscard]] bool is_of_labels() const noexcept { return predicate->kind == Predicate::Kind::labels; }
  };

  FilterStage(PlanNode const& plan, RunState& state, std::vector<Check> checks)
      : Stage(&plan, state), checks_(std::move(checks)) {}

  bool push(Batch const& in) override {
    if (!spend(in.size)) return false;
    if (out_.size == 0 && are_all_labelled(in)) return pass(in);
    chosen_.clear();
    for (std::uint32_t i = 0; i < in.size; ++i) chosen_.push_back(i);
    for (auto const& check : checks_) {
      narrow(check, in);
      if (state_.failed()) return false;
    }
    if (chosen_.size() == in.size && out_.size == 0) return pass(in);
    for (auto const i : chosen_) {
      copy(in, i);
      if (!in.weights.empty()) out_.weights.push_back(in.weights[i]);
      if (!added(in.weights.empty() ? 1 : in.weights[i])) return false;
    }
    return true;
  }

 private:
  /// Nothing is left out: as it is.
  [[nodiscard]] bool pass(Batch const& in) {
    rows_ += in.rows();
    return next_->push(in);
  }
  /// Whether there are checks of labels only, and every row passes them: as it is most often.
  [[nodiscard]] bool are_all_labelled(Batch const& in) const {
    return std::ranges::all_of(checks_, [&](Check const& check) {
      return check.is_of_labels() && !check.has_unknown_label && std::ranges::all_of(check.labels, [&](NameId label) {
               return plan_->graph->all_have_label(in.nodes[check.column], label);
             });
    });
  }

  /// Leaves in `chosen_` the rows that pass.
  void narrow(Check const& check, Batch const& in) {
    if (check.is_of_labels()) {
      std::erase_if(chosen_, [&](std::uint32_t i) {
        return check.has_unknown_label || !std::ranges::all_of(check.labels, [&](NameId label) {
                 return plan_->graph->has_label(in.nodes[check.column][i], label);
               });
      });
    } else if (check.texts) {
      narrow_by_texts(check, in);
    } else {
      std::erase_if(chosen_, [&](std::uint32_t i) { return !holds_in_row(check, in, i); });
    }
  }
  void narrow_by_texts(Check const& check, Batch const& in) {
    if (chosen_.empty()) return;
    nodes_.clear();
    for (auto const i : chosen_) nodes_.push_back(in.nodes[check.column][i]);
    known_.assign(chosen_.size(), Known::equal);
    for (auto const& part : check.texts->parts) {
      // What is known is a text or null: any other value is not equal to it, but a moment reads a text as one.
      auto const value = evaluate(*part.value, *row_, state_);
      auto const* wanted = value.find_text();
      bool const reads_texts = is_moment(value);
      auto const unknown =
          plan_->graph->texts(check.texts->label, nodes_, part.property, [&](std::size_t at, auto text) {
            if (reads_texts && text) {
              if (known_[at] == Known::equal) known_[at] = Known::not_yet;
            } else if (wanted == nullptr || text != *wanted) {
              known_[at] = Known::different;
            }
          });
      for (auto const at : unknown) {
        if (known_[at] == Known::equal) known_[at] = Known::not_yet;
      }
    }
    std::size_t at = 0;
    std::erase_if(chosen_, [&](std::uint32_t i) {
      auto const known = known_[at++];
      return known == Known::different || (known == Known::not_yet && !holds_in_row(check, in, i));
    });
  }
  [[nodiscard]] bool holds_in_row(Check const& check, Batch const& in, std::size_t i) {
    check.filler.fill(*row_, in, i);
    return holds(*check.predicate, *plan_->graph, *row_, state_);
  }

  enum class Known : std::uint8_t { equal, different, not_yet };

  std::vector<Check> checks_;
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> nodes_;  ///< of the chosen rows
  std::vector<Known> known_;          ///< likewise
};

FilterStage::Check label_check(Predicate const& predicate, Column column, PropertyGraph const& graph) {
  FilterStage::Check check{.predicate = &predicate, .column = column};
  for (auto const& name : *predicate.labels) {
    auto const label = graph.find_label(name);
    if (label) check.labels.push_back(*label);
    check.has_unknown_label = check.has_unknown_label || !label;
  }
  return check;
}

}  // namespace

std::optional<TextCheck> text_check_of(Predicate const& predicate, SlotColumns const& columns, SlotFacts const& facts,
                                       PropertyGraph const& graph) {
  auto check = properties_asked(predicate);
  if (!check || check->slot >= columns.nodes.size() || !columns.nodes[check->slot] || !facts.labels[check->slot])
    return std::nullopt;
  check->label = *facts.labels[check->slot];
  bool const has_all = std::ranges::all_of(
      check->parts, [&](TextCheck::Part const& part) { return graph.has_texts(check->label, part.property); });
  return has_all ? std::move(check) : std::nullopt;
}

StagePtr make_filter(PlanNode const& plan, SlotColumns const& columns, SlotFacts const& facts, RunState& state) {
  std::vector<FilterStage::Check> checks;
  for (auto const& predicate : std::get<FilterStep>(plan.step).predicates) {
    bool const is_node = predicate.slot < columns.nodes.size() && columns.nodes[predicate.slot].has_value();
    if (predicate.kind != Predicate::Kind::condition && !is_node) return nullptr;
    if (predicate.kind == Predicate::Kind::bound_node) continue;  // a node it is
    if (predicate.kind == Predicate::Kind::labels) {
      checks.push_back(label_check(predicate, *columns.nodes[predicate.slot], *plan.graph));
      continue;
    }
    if (predicate.needs_all) return nullptr;
    auto filler = filler_of(*predicate.expression, columns, plan.graph);
    if (!filler) return nullptr;
    if (predicate.kind == Predicate::Kind::properties)
      filler->slots.emplace_back(predicate.slot, *columns.nodes[predicate.slot]);
    FilterStage::Check check{.predicate = &predicate,
                             .texts = text_check_of(predicate, columns, facts, *plan.graph),
                             .filler = *std::move(filler)};
    if (check.texts) check.column = *columns.nodes[check.texts->slot];
    checks.push_back(std::move(check));
  }
  // Labels first: texts are asked of nodes that have one.
  std::stable_partition(checks.begin(), checks.end(),
                        [](FilterStage::Check const& check) { return check.is_of_labels(); });
  return std::make_unique<FilterStage>(plan, state, std::move(checks));
}

}  // namespace whence::queries::cypher
