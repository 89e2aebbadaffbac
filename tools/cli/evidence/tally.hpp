#pragma once
// What the events of a period come to: counts, ratings, decisions, what was removed, and gaps.

#include "schema/base/time.hpp"
#include "tools/cli/evidence/pieces.hpp"
#include "tools/cli/transport/caller.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {

/// Which events are meant. Both lists empty: all of them.
struct EvidenceScope {
  schema::Time from = {};
  std::vector<std::string> agents = {};  ///< of responses; with what was said about these
  std::vector<std::string> topics = {};  ///< ids, with what belongs to these
};

/// In whose name a transaction was written, and why, as the server said it.
struct Writing {
  std::string who = {};
  std::string actor = {};
  std::string reason = {};
};

/// Reads the lines of a `jsonl` export from its first on, since what an event is about may have been written before the
/// period. Memory grows with the records of a scope; of the period's transactions the first `actors_asked_max` are
/// held.
class Tally {
 public:
  static constexpr std::size_t listed_max = 1'000;  ///< ratings, decisions and removals, each; all are counted
  static constexpr std::size_t silences_max = 10;
  static constexpr std::size_t actors_asked_max = 100'000;

  explicit Tally(EvidenceScope scope)
      : scope_(std::move(scope)), pieces_(!scope_.agents.empty() || !scope_.topics.empty()) {}

  /// Takes the next line. Returns whether it is an event of the period and the scope. Fails with `failure` where it is
  /// none.
  [[nodiscard]] CallResult<bool> take(std::string_view line);

  /// Asks who wrote each transaction, one answer for as many as it names. Fails as the calls do; a node that has no
  /// history any more leaves its transaction unknown.
  [[nodiscard]] CallResult<void> ask_writers(Caller& caller);

  /// The agents and topics of the scope that no record of the history names: "agent NAME", "topic ID".
  [[nodiscard]] std::vector<std::string> unmet() const;

  /// What there is to prove.
  [[nodiscard]] Pieces const& pieces() const noexcept { return pieces_; }

  /// Everything that was found.
  [[nodiscard]] boost::json::object report() const;

 private:
  struct Transaction {
    std::uint64_t tx;
    std::string ref;  ///< whose history says who wrote it
    std::size_t events = 0;
  };
  struct Listed {
    boost::json::array list = {};
    std::uint64_t count = 0;

    void add(boost::json::object entry);
    [[nodiscard]] boost::json::object as_object() const;
  };
  struct Silence {
    std::int64_t seconds;
    std::string from;
    std::string to;
  };

  [[nodiscard]] bool is_in_scope(boost::json::object const& event);
  void count_event(boost::json::object const& event);
  void list_event(boost::json::object const& event);
  void count_record(boost::json::object const& record);
  void note_transaction(boost::json::object const& event);
  [[nodiscard]] bool is_listed(std::uint64_t tx) const;
  void note_time(boost::json::object const& event);
  [[nodiscard]] boost::json::array writers() const;
  [[nodiscard]] boost::json::object removals() const;

  EvidenceScope scope_;
  Pieces pieces_;
  std::unordered_map<std::string, std::uint64_t> in_scope_ = {};  ///< ref of what is there: since which transaction
  std::set<std::pair<std::string, std::uint64_t>> ended_ = {};    ///< the same of what was deleted
  std::unordered_set<std::string> met_ = {};                      ///< names of the scope
  std::vector<Transaction> transactions_ = {};                    ///< ascending; the first `actors_asked_max`
  std::uint64_t transaction_count_ = 0;
  std::uint64_t newest_ = 0;         ///< the transaction of the event before, of the scope
  std::uint64_t events_beyond_ = 0;  ///< of transactions that are not in the list
  std::unordered_map<std::uint64_t, Writing> writings_ = {};
  std::uint64_t first_tx_ = 0;
  std::uint64_t last_tx_ = 0;  ///< of the period, whatever its scope
  std::uint64_t missing_ = 0;  ///< transaction numbers without an event
  std::optional<schema::Time> last_time_ = {};
  std::string last_at_ = {};
  std::vector<Silence> silences_ = {};
  std::uint64_t events_ = 0;
  std::map<std::string, std::uint64_t> ops_ = {};
  std::map<std::string, std::map<std::string, std::uint64_t>> types_ = {};
  std::map<std::string, std::uint64_t> flags_ = {};
  std::map<std::string, std::uint64_t> statuses_ = {};
  std::map<std::string, std::uint64_t> verdicts_ = {};
  std::uint64_t causes_left_out_ = 0;
  std::uint64_t rated_below_zero_ = 0;
  std::uint64_t scored_ = 0;  ///< ratings that have a score
  double score_sum_ = 0;
  std::uint64_t ratings_gone_ = 0;  ///< whose contents expired or were purged: nothing is known of them
  std::uint64_t decisions_gone_ = 0;
  Listed ratings_ = {};
  Listed decisions_ = {};
  Listed removals_ = {};
};

}  // namespace whence::tools
