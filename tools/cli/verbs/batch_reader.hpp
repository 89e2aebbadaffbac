#pragma once
// NDJSON to batches: which lines of a file go into which transaction.

#include "schema/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::tools {

/// The params of one `records.write`, as text made of the lines themselves: a record is sent exactly as it was read.
struct Batch {
  std::string params;
  std::vector<std::uint64_t> record_lines;  ///< per record its line, from 1; one entry for a line that is a whole batch
  std::size_t records = 0;
  bool is_gathered = false;  ///< made of bare record lines
  bool needs_key = false;    ///< holds a record without id, which would be a new one each time, and no key of its own
  bool is_dry_run = false;   ///< a line that is a batch with `dry_run`

  /// The line of record `index` of the batch.
  [[nodiscard]] std::uint64_t line_of(std::size_t index) const;
};

struct BatchBounds {
  std::size_t records_max = 1'000;               ///< bare record lines in one batch
  std::size_t bytes_max = std::size_t{4} << 20;  ///< a soft limit: a longer line is a batch by itself
};

/// Reads batches in the order of the lines. A line `{"records":[...]}` is one batch; other objects are records and are
/// gathered with their neighbours; blank lines are skipped. The same lines always make the same batches.
class BatchReader {
 public:
  /// `in` outlives the reader. `ensure` and `mode` (strict or capture; empty: none) are passed on with gathered
  /// batches.
  BatchReader(std::istream& in, bool ensure, BatchBounds bounds = {}, std::string_view mode = {});

  /// The next batch; nothing at the end. Fails with `invalid_params`, the message naming the line, on a line that is
  /// not a JSON object; the lines before it have been returned by then.
  [[nodiscard]] Result<std::optional<Batch>> next();

  /// Bytes read so far.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  struct Line {
    std::string text;
    std::uint64_t number;
    std::size_t records = 0;  ///< of a line that is a batch
    bool is_batch = false;
    bool needs_key = false;
    bool is_dry_run = false;
    std::string problem = {};  ///< empty: none
  };

  [[nodiscard]] static Line look_at(std::string text, std::uint64_t number);
  [[nodiscard]] std::optional<Line> next_line();
  [[nodiscard]] Batch gather(Line first);

  std::istream& in_;
  BatchBounds bounds_;
  std::string head_ = "{";  ///< of the params of a gathered batch
  std::uint64_t bytes_ = 0;
  std::uint64_t line_number_ = 0;
  std::optional<Line> ahead_;  ///< read, but belongs to the next batch
};

}  // namespace whence::tools
