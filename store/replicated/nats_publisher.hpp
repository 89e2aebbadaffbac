#pragma once
// Groups on their way into the stream: sent one behind the other, their answers awaited together.

#include "store/replicated/group_parts.hpp"
#include "store/replicated/nats_callee.hpp"
#include "store/replicated/nats_handles.hpp"
#include "store/replicated/shared_log.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whence::store {

/// Headers of a message that are Whence's own.
namespace nats_header {
inline constexpr char const* part = "Whence-Part";  ///< GROUP/NUMBER/COUNT
inline constexpr char const* moment = "Whence-Tx";  ///< BASE/HEAD of the group
}  // namespace nats_header

/// Sends groups without waiting, each under the condition that the one before it is the last of the stream. `send` and
/// `settle` belong to one thread.
///
/// The first part of the first group is sent under *expected last sequence*, every other part under *expected last
/// message id*, that of its predecessor: so what was built on a refused part is refused, too. A sequence number would
/// not do for these: where a part is refused, the message of another node has taken its number.
class NatsPublisher {
 public:
  struct Settled {
    std::vector<Published> groups = {};  ///< one for each, in order; after one that is not accepted none is
    std::uint64_t last = 0;              ///< sequence of the last accepted part; 0: none is
  };

  explicit NatsPublisher(std::string subject) : subject_(std::move(subject)) {}

  /// Whether this publisher has sent the group of that name.
  [[nodiscard]] bool is_own(std::string_view group) const { return group.starts_with(own_); }

  /// For `take_answer`.
  [[nodiscard]] void* closure() const { return callee_.closure(); }

  /// Sends a group that is to follow message `after`, or what is sent and not settled, in parts of `part_bytes_max`.
  void send(jsCtx& context, std::size_t part_bytes_max, OutgoingGroup const& group, std::uint64_t after);

  /// Waits until every part is answered, `wait` at most.
  void wait_for_answers(std::chrono::milliseconds wait);

  /// Sends again what was not taken, or not answered, and all behind it: of the first such part on. `groups` are those
  /// that were sent. Returns false where every part was taken or refused. A part that was taken after all is not taken
  /// twice: the server knows its message id.
  bool send_again(jsCtx& context, std::size_t part_bytes_max, std::vector<OutgoingGroup> const& groups);

  /// What became of the groups, as far as is known; forgets them.
  [[nodiscard]] Settled settle();

  /// libnats' callback for answers, on a thread of its own.
  static void take_answer(jsCtx* context, natsMsg* message, jsPubAck* accepted, jsPubAckErr* failure, void* closure);

 private:
  struct Answer {
    std::uint64_t sequence = 0;  ///< 0: it is not in the stream, or that is not known
    natsStatus status = NATS_OK;
    jsErrCode code = static_cast<jsErrCode>(0);
  };
  struct Part {
    std::string id;
    std::optional<Answer> answer;
  };
  struct Group {
    std::size_t begin;  ///< its parts
    std::size_t end;
  };

  [[nodiscard]] NatsMessage message_of(OutgoingGroup const& group, std::string const& id,
                                       std::span<std::byte const> bytes) const;
  void send_part(jsCtx& context, NatsMessage message, std::string const& id, std::string const& before);
  void send_parts(jsCtx& context, std::size_t part_bytes_max, OutgoingGroup const& group, Group const& parts,
                  std::size_t first);
  [[nodiscard]] std::size_t find_untaken() const;
  void take(char const* id, Answer const& answer);
  [[nodiscard]] Published fate_of(Group const& group) const;

  std::string const subject_;
  std::string const own_ = random_name() + '-';  ///< begins the names of its groups
  std::uint64_t last_name_ = 0;
  std::uint64_t after_ = 0;  ///< of the first group
  std::vector<Group> groups_;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable answered_;
  std::vector<Part> parts_;
  std::size_t unanswered_ = 0;
  bool is_repeated_ = false;                       ///< a refusal may be of the second time only, so it says nothing
  NatsCallee<NatsPublisher> const callee_{*this};  // last: callbacks use the rest
};

}  // namespace whence::store
