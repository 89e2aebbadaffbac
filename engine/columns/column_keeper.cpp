// The thread looks again and again, reads what was written since into the columns, and writes their image as a
// checkpoint once they have grown by a share of it. Where contents went, the checkpoint is removed at once, since it
// still has their values.

#include "engine/columns/column_keeper.hpp"

#include "engine/checkpoint/checkpoint_figures.hpp"
#include "engine/checkpoint/checkpoint_sink.hpp"
#include "engine/values/priority.hpp"

#include <exception>
#include <optional>
#include <string>
#include <system_error>

namespace whence::engine {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// Between two looks: many small writes are read together.
constexpr auto pause_between = 10ms;
/// After contents went, and after a failure: a retention that sweeps again and again costs no checkpoint each time.
constexpr auto pause_after_loss = 10min;
constexpr int columns_niceness = 10;

}  // namespace

void ColumnKeeper::start() {
  if (rows_min_ != 0) thread_.run([&] { take_checkpoint(); });
  auto const work = [this](std::stop_token const& stop) {
    follow(growth_share, stop);
    return schema::WokenThread::Sleep{.least = pause_between};
  };
  thread_.start(work, [] { work_behind_others(columns_niceness); });
}

void ColumnKeeper::finish() {
  stop();
  if (!columns_.figures().is_built) return;  // the end is not held up by all that was not read yet
  next_attempt_ = {};
  thread_.run([&] { follow(last_growth_share, {}); });
}

void ColumnKeeper::take_checkpoint() {
  auto const found = store_.find_checkpoint(store::CheckpointOf::columns, graph::FieldColumns::image_layout());
  if (!found && found.error().code == Errc::not_found) return;
  if (found && columns_.take_image(graph_.snapshot(), found->bytes())) {
    rows_kept_ = columns_.figures().rows;
    return;
  }
  store_.remove_checkpoint(store::CheckpointOf::columns);  // all is read from the records
}

void ColumnKeeper::follow(std::uint64_t share, std::stop_token const& stop) {
  auto const snapshot = graph_.snapshot();
  if (auto const followed = columns_.follow(snapshot, store_, stop); !followed) {
    return tell(followed.error(), "queries read these records themselves until it is tried again", is_reading_told_);
  }
  is_reading_told_ = false;
  if (stop.stop_requested() || rows_min_ == 0) return;
  auto const figures = columns_.figures();
  if (figures.rows_lost != rows_lost_) {
    store_.remove_checkpoint(store::CheckpointOf::columns);
    rows_lost_ = figures.rows_lost;
    rows_kept_ = 0;
    if (share == growth_share) next_attempt_ = steady_clock::now() + pause_after_loss;
  }
  bool const has_grown = figures.rows > rows_kept_ && figures.rows >= rows_kept_ + rows_kept_ / share;
  if (figures.rows < rows_min_ || !has_grown || steady_clock::now() < next_attempt_) return;
  next_attempt_ = steady_clock::now() + pause_after_loss;
  make_checkpoint(snapshot, figures.rows, stop);
}

void ColumnKeeper::make_checkpoint(graph::Snapshot const& snapshot, std::uint64_t rows, std::stop_token const& stop) {
  auto const fill = [&](store::CheckpointWriter& writer) {
    CheckpointSink sink{writer, stop};
    return columns_.write_image(snapshot, sink);
  };
  Result<std::optional<store::CheckpointFigures>> made = std::optional<store::CheckpointFigures>{};
  try {
    made = store_.make_checkpoint(store::CheckpointOf::columns, graph::FieldColumns::image_layout(),
                                  {.tx = snapshot.tx(), .vertices = snapshot.vertex_count()}, fill);
  } catch (std::exception const& failure) {  // the environment: no memory, a folder that is gone
    made = Error{Errc::internal_error, failure.what()};
  }
  if (!made) {
    ++failed_;
    return tell(made.error(), "no checkpoint of the columns could be made; the next start reads the records instead",
                is_writing_told_);
  }
  if (!*made) return;  // given up
  ++made_;
  is_writing_told_ = false;
  rows_kept_ = rows;
  next_attempt_ = {};
}

void ColumnKeeper::tell(Error const& error, std::string_view goes_on, bool& is_told) const {
  if (is_told || !report_) return;
  is_told = true;
  report_("columns: " + error.message + "; " + std::string{goes_on});
}

}  // namespace whence::engine
