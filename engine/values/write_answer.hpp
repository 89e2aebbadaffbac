#pragma once
// What a write answers, and the callbacks that receive it.

#include "schema/base/error.hpp"
#include "schema/base/ids.hpp"
#include "schema/base/time.hpp"
#include "schema/records/records.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::engine {

using schema::TxId;

/// A backup that was made before, and what it has of what is removed.
struct OlderBackup {
  std::string path = {};                             ///< where it was made, on the machine that made it
  TxId tx = {};                                      ///< the last transaction that it has
  bool was_looked_at = false;                        ///< it is there and says so itself; else it is as it was noted
  std::map<std::string_view, std::uint64_t> counts;  ///< by record type; never empty
};

/// A record whose content was purged: which one, and until when what it said is gone. Its ref alone does not say, as it
/// may have been somebody else's before, and may be written again after that.
struct LostRecord {
  std::string ref = {};
  TxId tx = {};                 ///< that wrote it first
  schema::Time at = {};         ///< when that was
  schema::Time purged_at = {};  ///< what it said by then is gone
};

/// What a deletion or the removal of contents did, as refs.
struct Removal {
  std::vector<std::string> deleted = {};      ///< the nodes named, then those deleted with them
  std::vector<std::string> orphaned = {};     ///< attachments whose topic is gone
  std::vector<std::string> dangling = {};     ///< keywords, subjects and summaries that lost an attachment
  std::vector<std::string> gone = {};         ///< records whose contents went
  std::vector<std::string> gone_before = {};  ///< records that were purged already
  std::vector<std::string> redacted = {};     ///< answers that lost an excerpt
  std::vector<std::string> shared = {};       ///< what a person's answers were made from, and others' too: it stays
  std::uint64_t blobs = 0;                    ///< texts kept apart that went
  std::optional<std::vector<LostRecord>> lost = {};  ///< what must stay gone, of those in `gone` and `gone_before`
  std::vector<OlderBackup> backups = {};             ///< of an erasure: those that still have something of it
};

/// A discussion, by its ids.
struct DiscussionIds {
  std::string user_id = {};
  std::string discussion_id = {};

  friend auto operator<=>(DiscussionIds const&, DiscussionIds const&) = default;
};

/// Why an answer's text was withheld: how similar what was retrieved is to the question.
struct Withheld {
  double mean = 0;
  double best = 0;
};

struct WriteAnswer {
  TxId tx;
  std::vector<std::string> refs;                 ///< one per record, in order
  std::vector<whence::Violation> warnings = {};  ///< `code` is meaningless
  bool is_unchanged = false;
  Removal removal = {};                     ///< of a batch that deletes or removes contents
  std::optional<schema::Record> made = {};  ///< of a step: the discussion, round, answer or query as it is stored now
  std::optional<Withheld> withheld = {};    ///< of an answer of a request
  /// Whose files are behind now: a round was completed, answered or deleted, a summary or the discussion written.
  /// Ascending, each once.
  std::vector<DiscussionIds> discussions = {};
};

/// Called after every published group, on the writer thread: `head` is visible now. Must not block, must not throw.
using Announce = std::function<void(TxId head)>;

/// Called on the writer thread with the failure of the environment that has ended writing; must not block or throw.
using FailureReport = std::function<void(std::string_view failure)>;
/// Must not block, must not throw.
using WriteDone = std::function<void(Result<WriteAnswer>)>;

}  // namespace whence::engine
