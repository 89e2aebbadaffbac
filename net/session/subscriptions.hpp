#pragma once
// All subscriptions of one connection: delivery, catching up, ending.

#include "net/params/wire_params.hpp"
#include "net/session/subscription.hpp"
#include "net/state/service_state.hpp"
#include "net/work/host_link.hpp"
#include "net/work/session_host.hpp"
#include "schema/base/error.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace whence::net {

struct SubscriptionLimits {
  std::uint32_t count_max;
  std::chrono::milliseconds heartbeat;
};

/// Belongs to the connection's strand; work on other threads comes back through the link.
///
/// Invariants: 1. nothing is sent for a subscription before `begin` or after its end. 2. a subscription whose reader
/// does not read holds at most about `ready_bytes_max` of events, all of the connection `ahead_bytes_max` or those of
/// one slice, besides what the connection's queue holds (`SessionHost::has_room`) and what the feed queued
/// (`QueueBytes::bytes_max`). All of it is counted as memory of the peer. 3. one that may send is read for while none
/// that may send has anything: no subscription keeps another back that could go on.
class Subscriptions : public std::enable_shared_from_this<Subscriptions> {
 public:
  /// `service` and `host` outlive it, or `on_closed` is called before they go.
  Subscriptions(ServiceState& service, SessionHost& host, std::shared_ptr<HostLink> link,
                SubscriptionLimits const& limits, std::shared_ptr<PeerMemory> memory);
  ~Subscriptions();

  /// A new subscription that has not begun. Fails with `invalid_params`, `not_found` (a walk's node),
  /// `resume_impossible` (another epoch, a transaction above the head) or `limit_exceeded`.
  struct Made {
    std::string id;
    std::string result;  ///< the answer, as JSON
  };
  [[nodiscard]] Result<Made> subscribe(boost::json::object const& params, bool is_admin);
  /// Its answer was sent: deliver.
  void begin(std::string const& id);
  /// Ends one; the answer as JSON. Fails with `invalid_params` or `not_found`.
  [[nodiscard]] Result<std::string> unsubscribe(boost::json::object const& params);
  /// Unknown ones are ignored.
  void add_credit(boost::json::object const& params);
  /// The connection's queue has room again.
  void on_room();
  [[nodiscard]] bool empty() const noexcept { return subscriptions_.empty(); }

  /// Delivers what is committed, then ends each with `shutdown`; `done` is called when none is left. One that has no
  /// credit ends at once.
  void finish(std::function<void()> done);
  /// The connection is gone; the host is called no more.
  void on_closed();

 private:
  using Ptr = std::shared_ptr<Subscription>;

  /// Runs `task` on the strand unless the connection is gone. From any thread.
  static void post_back(HostLink& link, std::weak_ptr<Subscriptions> const& weak,
                        std::function<void(Subscriptions&)> task);
  [[nodiscard]] Result<schema::TxId> start_of(SubscribeParams const& params, graph::Snapshot const& head) const;
  void catch_up(Subscription& subscription, schema::TxId position, bool has_snapshot);

  // Delivery.
  void pump(Subscription& subscription);
  [[nodiscard]] bool can_send(Subscription const& subscription) const;
  void send_caught_up(Subscription& subscription);
  void refill(Subscription& subscription);
  void send_events(Subscription& subscription);
  void fall_back(Subscription& subscription);
  void want_slice(Ptr const& subscription);
  void read_waiting();
  [[nodiscard]] std::size_t room_for_slice(bool is_stalled);
  void count_ahead(Subscription& subscription);
  void read_on(Ptr const& subscription, std::size_t slice_bytes);
  void take_slice(std::string const& id, std::shared_ptr<Reading> const& reading, Slice& slice, bool is_live,
                  Result<void> const& read);

  // Notifications.
  void notify(std::string_view method, Subscription const& subscription,
              std::function<void(schema::json::Writer&)> const& write);
  void end(Subscription& subscription, std::string_view reason);
  void set_heartbeat();
  void heartbeat();
  void finish_some();

  /// Everything up to it that the subscription wants was sent; nothing while that is of no use to a client.
  [[nodiscard]] std::optional<schema::TxId> progress(Subscription const& subscription) const;
  void drop(Subscription& subscription);

  ServiceState& service_;
  SessionHost* host_;  ///< null after `on_closed`
  std::shared_ptr<HostLink> link_;
  SubscriptionLimits const limits_;
  std::shared_ptr<PeerMemory> const memory_;
  WorkQueue work_;  ///< reads the log
  std::shared_ptr<QueueBytes> queued_;
  std::size_t ahead_bytes_ = 0;  ///< of all subscriptions
  MemoryClaim ahead_;            ///< the same in steps
  std::map<std::string, Ptr> subscriptions_;
  std::deque<std::weak_ptr<Subscription>> waiting_;  ///< for room to read a slice
  std::uint64_t last_id_ = 0;
  Alarms::Id heartbeat_alarm_ = 0;
  schema::TxId last_heartbeat_{0};
  std::function<void()> on_finished_;  ///< set: finishing
};

}  // namespace whence::net
