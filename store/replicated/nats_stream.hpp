#pragma once
// The stream of a replicated log: the connection to its servers, its messages, where a node's head is among them.

#include "store/replicated/nats_address.hpp"
#include "store/replicated/nats_arrivals.hpp"
#include "store/replicated/nats_handles.hpp"
#include "store/replicated/shared_log.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace whence::store {

/// What the headers of a message say; nothing where no node has written it.
[[nodiscard]] std::optional<MessageLabel> read_label(natsMsg* message);

/// One connection. `is_answering`, `is_connected`, `silence` and `heard` may be called from any thread, all else
/// belongs to one. Whatever asks the servers fails with `busy` where they do not answer.
class NatsStream {
 public:
  /// `answered` is called for what is published without waiting, on a thread of libnats, with `closure`.
  NatsStream(NatsOptions options, jsPubAckHandler answered, void* closure);
  ~NatsStream();
  NatsStream(NatsStream const&) = delete;
  NatsStream& operator=(NatsStream const&) = delete;

  /// Ends the connection. A callback may still come.
  void close();

  /// Once; afterwards libnats connects again by itself.
  [[nodiscard]] Result<void> connect();

  enum class Missing : std::uint8_t { is_made, is_error };
  /// State and configuration; of a stream that is made now where it is missing and `missing` says so. Else `not_found`.
  [[nodiscard]] Result<NatsStreamInfo> info(Missing missing) { return info(missing, options_.wait); }
  [[nodiscard]] Result<NatsStreamInfo> info(Missing missing, std::chrono::milliseconds wait);

  /// A message. Fails with `corrupt` where it is missing.
  [[nodiscard]] Result<NatsMessage> read(std::uint64_t sequence) { return read(sequence, options_.wait); }
  [[nodiscard]] Result<NatsMessage> read(std::uint64_t sequence, std::chrono::milliseconds wait);

  /// The headers of a message; nothing where no node has written it. Fails with `corrupt` where it is missing.
  [[nodiscard]] Result<std::optional<MessageLabel>> label_of(std::uint64_t sequence);

  /// The place of a node with head `head`.
  struct Place {
    std::uint64_t group = 0;     ///< first message of the group that made `head`; 0: it is not in the stream
    std::uint64_t position = 0;  ///< message after which the node goes on
  };
  /// Among messages `first` to `last`, all there are. `check` must accept the group that made `head`. Fails with what
  /// it says, with `resume_impossible` where what follows `head` is gone, with `conflict` where the stream ends before
  /// it. O(log messages) requests, and one for each message that no node has written, where it is met.
  [[nodiscard]] Result<Place> find_place(schema::TxId head, SharedLog::CheckHead const& check, std::uint64_t first,
                                         std::uint64_t last);

  /// Removes all messages before `sequence`.
  [[nodiscard]] Result<void> remove_before(std::uint64_t sequence);

  /// The error of a request without an answer; remembers that there was none.
  [[nodiscard]] Error silent(std::string const& what, natsStatus status, jsErrCode code = static_cast<jsErrCode>(0));
  void heard();
  void set_silent() { is_answering_ = false; }

  [[nodiscard]] NatsOptions const& options() const { return options_; }
  [[nodiscard]] std::string const& subject() const { return subject_; }
  [[nodiscard]] jsCtx& context() const { return *context_; }  ///< once connected
  [[nodiscard]] std::size_t part_bytes_max() const;           ///< of a message's body; once connected
  [[nodiscard]] bool is_answering() const { return is_answering_; }
  [[nodiscard]] bool is_connected() const;
  /// Once connected; from any thread. Null before.
  [[nodiscard]] natsConnection* connection() const { return visible_connection_; }
  [[nodiscard]] double silence() const;  ///< seconds since the servers were heard; 0 before that

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] natsStatus set_credentials(natsOptions* options) const;
  [[nodiscard]] Result<NatsStreamInfo> make();
  [[nodiscard]] Result<void> check_group(std::uint64_t first, std::uint32_t parts, SharedLog::CheckHead const& check);

  NatsOptions const options_;
  std::string const subject_;
  jsPubAckHandler const answered_;
  void* const closure_;
  std::atomic<bool> is_answering_ = false;  // the last request was
  std::atomic<Clock::duration> heard_ = Clock::duration{};
  NatsConnection connection_;
  NatsContext context_;
  std::atomic<natsConnection*> visible_connection_ = nullptr;  // once connected
};

}  // namespace whence::store
