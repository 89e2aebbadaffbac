// The first failure ends a run: later ones do not replace it, and `fail` returns null. The interrupt is asked once in a
// number of steps, and memory is claimed in large pieces.
#include "queries/cypher/state/state.hpp"

#include <algorithm>

namespace whence::queries::cypher {

namespace {

/// After so many steps the interrupt is asked: one that finds few of the relations of a large node takes as long as
/// hundreds of others.
constexpr std::uint64_t steps_between = 32;

}  // namespace

Value RunState::fail(ErrorKind kind, std::string detail, std::string message, Place place) {
  return fail(QueryError{.kind = kind,
                         .detail = std::move(detail),
                         .message = std::move(message),
                         .is_compile_time = false,
                         .place = place});
}

Value RunState::fail(QueryError error) {
  if (!error_) error_ = std::move(error);
  return {};
}

bool RunState::has_noted(Place place) const {
  return notices_.size() >= notices_max || std::ranges::find(notices_, place, &Notice::place) != notices_.end();
}

void RunState::note(Place place, std::string message, NameKind kind) {
  if (!has_noted(place)) notices_.push_back({.kind = kind, .message = std::move(message), .place = place});
}

bool RunState::spend(std::uint64_t steps) {
  if (error_) return false;
  steps_ += steps;
  unreported_ += steps;
  if (steps_ > budget_.steps_max) {
    fail(ErrorKind::limit_exceeded, "steps",
         "the query looks at more than " + std::to_string(budget_.steps_max) + " nodes and relations");
    return false;
  }
  if (unreported_ < steps_between) return true;
  auto const stop = budget_.interrupt.check(unreported_);
  unreported_ = 0;
  if (stop == schema::Stop::none) return true;
  stopped(stop);
  return false;
}

void RunState::stopped(schema::Stop reason) {
  if (reason == schema::Stop::cancelled) {
    fail(ErrorKind::cancelled, "", "the query was cancelled");
  } else {
    fail(ErrorKind::timeout, "time", "the query takes longer than it may");
  }
}

bool RunState::hold(std::uint64_t bytes) {
  held_ = held_ > UINT64_MAX - bytes ? UINT64_MAX : held_ + bytes;
  if (held_ > budget_.bytes_max) {
    fail(ErrorKind::limit_exceeded, "bytes",
         "the query holds more than " + std::to_string(budget_.bytes_max) + " bytes at a time");
    return false;
  }
  if (held_ < claimed_ + QueryBudget::counted_step || claim()) return true;
  fail(ErrorKind::out_of_memory, "memory", "there is not enough memory for this query now");
  return false;
}

bool RunState::hold_if_free(std::uint64_t bytes) {
  if (error_ || bytes > bytes_left()) return false;
  held_ += bytes;
  if (held_ < claimed_ + QueryBudget::counted_step || claim()) return true;
  held_ -= bytes;
  return false;
}

bool RunState::claim() {
  auto const whole = held_ / QueryBudget::counted_step * QueryBudget::counted_step;
  if (budget_.may_hold && !budget_.may_hold(whole)) return false;
  claimed_ = whole;
  return true;
}

bool RunState::may_make(std::uint64_t bytes, Place place) {
  if (bytes <= bytes_left() && hold(bytes)) {
    // The keeper of the value counts it. It is there before it is kept, so what was claimed stays claimed until the run
    // releases something.
    held_ -= bytes;
    return true;
  }
  fail(ErrorKind::limit_exceeded, "bytes",
       "with this value the query holds more than " + std::to_string(budget_.bytes_max) + " bytes", place);
  return false;
}

Value RunState::bounded(Value value, Place place) {
  constexpr std::uint32_t depth_max = 200;
  if (depth_of(value) > depth_max) {
    return fail(ErrorKind::limit_exceeded, "depth", "lists and maps nest at most 200 levels deep", place);
  }
  // Its parts may be held already, so that only its own size counts here.
  if (bytes_of(value) > budget_.bytes_max) {
    return fail(ErrorKind::limit_exceeded, "bytes",
                "a value takes more than " + std::to_string(budget_.bytes_max) + " bytes", place);
  }
  return value;
}

double RunState::random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return static_cast<double>(random_ >> 11) / 9007199254740992.0;
}

}  // namespace whence::queries::cypher
