#pragma once
// Who read in a period, counted from the lines of `serve --audit-reads`.

#include "schema/base/time.hpp"
#include "tools/cli/transport/caller.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::tools {

/// The reads of the files `paths`, between two times, both ends among them. Lines that are of no read are passed over,
/// so a log of events will do; what is no line of JSON is counted. Fails with `failure` where a file cannot be read.
class ReadCounts {
 public:
  static constexpr std::size_t pairs_max = 1'000;  ///< of a name and a method; the reads of others are counted together

  [[nodiscard]] CallResult<void> take_files(std::vector<std::string> const& paths, schema::Time from, schema::Time to);

  /// `count`, `untold` (of the server's own bound), `unread` lines, `by` with `who`, `method` and `count`.
  [[nodiscard]] boost::json::object report() const;

 private:
  void take(std::string const& line, schema::Time from, schema::Time to);

  std::map<std::pair<std::string, std::string>, std::uint64_t> by_ = {};
  std::uint64_t others_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t untold_ = 0;
  std::uint64_t unread_ = 0;
};

}  // namespace whence::tools
