#include "store/replicated/nats_peers.hpp"

#include "store/replicated/announcement.hpp"
#include "store/replicated/group_parts.hpp"

#include <algorithm>
#include <utility>

namespace whence::store {

NatsPeers::NatsPeers(std::string const& stream) : subject_("whence-nodes." + stream), id_(random_name()) {}

void NatsPeers::introduce(Introduction introduction) {
  std::lock_guard const lock(mutex_);
  own_ = std::move(introduction);
  own_.name.resize(std::min(own_.name.size(), Announcement::name_bytes_max));
  if (own_.bolt.size() > Announcement::bolt_bytes_max) own_.bolt.clear();
}

void NatsPeers::set_tree(schema::proof::TreeHead const& tree) {
  std::lock_guard const lock(mutex_);
  own_tree_ = tree;
}

void NatsPeers::announce(natsConnection& connection, std::uint64_t position) {
  std::string text;
  {
    std::lock_guard const lock(mutex_);
    if (!subscription_) {
      natsSubscription* made = nullptr;
      static_cast<void>(natsConnection_Subscribe(&made, &connection, subject_.c_str(), take_in, callee_.closure()));
      subscription_.reset(made);
    }
    if (own_.name.empty()) return;
    text = to_text({.id = id_, .position = position, .name = own_.name, .tree = own_tree_, .bolt = own_.bolt});
  }
  static_cast<void>(natsConnection_Publish(&connection, subject_.c_str(), text.data(), static_cast<int>(text.size())));
}

void NatsPeers::take_in(natsConnection*, natsSubscription*, natsMsg* given, void* closure) {
  NatsMessage const message{given};
  std::string_view const text{natsMsg_GetData(given), static_cast<std::size_t>(natsMsg_GetDataLength(given))};
  NatsCallee<NatsPeers>::call(closure, [&](NatsPeers& self) { self.take(text); });
}

void NatsPeers::take(std::string_view announcement) {
  auto read = parse_announcement(announcement);
  if (!read) return;
  auto const now = Clock::now();
  std::lock_guard const lock(mutex_);
  std::erase_if(peers_, [&](auto const& each) { return now - each.second.heard > forgotten_after; });
  auto const known = peers_.find(read->id);
  if (known == peers_.end() && peers_.size() == nodes_max) return;
  peers_.insert_or_assign(std::move(read->id),
                          Peer{std::move(read->name), std::move(read->bolt), read->tree, read->position, now});
}

std::vector<SharedLogPicture::Node> NatsPeers::nodes() const {
  std::vector<SharedLogPicture::Node> nodes;
  auto const now = Clock::now();
  std::lock_guard const lock(mutex_);
  for (auto const& [id, peer] : peers_) {
    if (now - peer.heard > forgotten_after) continue;
    nodes.push_back({.name = peer.name,
                     .bolt = peer.bolt,
                     .tree = peer.tree,
                     .is_self = id == id_,
                     .position = peer.position,
                     .last_seen_s = std::chrono::duration<double>(now - peer.heard).count()});
  }
  std::ranges::sort(nodes, {}, &SharedLogPicture::Node::name);
  return nodes;
}

}  // namespace whence::store
