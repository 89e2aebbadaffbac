// The send queue of a connection.

#include "net/stream/buffered_stream.hpp"

#include "net/stream/tls_context.hpp"

#include <utility>

namespace whence::net {

namespace {

constexpr std::size_t counted_step = std::size_t{64} << 10;

}  // namespace

BufferedStream::BufferedStream(Socket socket, asio::ssl::context* tls, std::size_t queue_bytes_max)
    : socket_{std::move(socket)},
      queue_bytes_max_{queue_bytes_max},
      read_(read_buffer_bytes),
      event_{socket_.get_executor(), Moment::max()} {
  if (tls != nullptr) tls_.emplace(socket_, *tls);
  error_code ignored;
  socket_.non_blocking(true, ignored);
}

Awaitable<error_code> BufferedStream::handshake() {
  if (!tls_) co_return error_code{};
  auto const [ec] = co_await tls_->async_handshake(asio::ssl::stream_base::server, awaited);
  co_return ec;
}

std::optional<CertificateClaim> BufferedStream::peer_certificate() {
  return tls_ ? certificate_of_peer(tls_->native_handle()) : std::nullopt;
}

std::string BufferedStream::refused_certificate() {
  return tls_ ? net::refused_certificate(tls_->native_handle()) : std::string{};
}

void BufferedStream::append(std::string_view head, std::string_view body) {
  if (!is_open_) return;
  pending_.append(head).append(body);
  if (pending_.size() >= flush_bytes) flush();
  if (pending_.size() >= flush_bytes) set_pending_aside();  // so that it is not copied as it grows
  count_queued();
  flush_soon();
}

void BufferedStream::append_whole(std::string_view head, std::string body) {
  if (body.size() < flush_bytes) return append(head, body);
  if (!is_open_) return;
  pending_.append(head);
  set_pending_aside();
  if (body.capacity() - body.size() > body.size() / 4) body.shrink_to_fit();
  pending_ = std::move(body);
  set_pending_aside();
  count_queued();
  flush();
  flush_soon();
}

void BufferedStream::set_pending_aside() {
  if (pending_.empty()) return;
  waiting_bytes_ += pending_.size();
  waiting_held_ += pending_.capacity();
  waiting_.push_back(std::exchange(pending_, {}));
}

void BufferedStream::flush_soon() {
  // The reader flushes before it reads the socket again. Where it is already waiting there, what other work on this
  // context has ready is gathered first: a posted flush runs after it.
  if (is_reading_ && !is_writing_ && !is_flush_posted_) {
    is_flush_posted_ = true;
    asio::post(get_executor(), [self = shared_from_this()] {
      self->is_flush_posted_ = false;
      self->flush();
    });
  }
}

/// What it takes in memory, in steps, so that small answers cost nothing.
void BufferedStream::count_queued() {
  bool const is_small = queued_bytes() < counted_step;
  std::size_t const held = waiting_held_ + pending_.capacity() + writing_.capacity();
  std::size_t const bytes = is_small ? 0 : held / counted_step * counted_step;
  if (queued_ && queued_->bytes() != bytes) queued_->set(bytes);
}

void BufferedStream::unread(std::string_view bytes) {
  std::vector<char> joined{bytes.begin(), bytes.end()};
  joined.insert(joined.end(), read_.begin() + static_cast<std::ptrdiff_t>(read_begin_),
                read_.begin() + static_cast<std::ptrdiff_t>(read_end_));
  read_begin_ = 0;
  read_end_ = joined.size();
  joined.resize(std::max(joined.size(), read_buffer_bytes));
  read_ = std::move(joined);
}

std::string_view BufferedStream::unread_frames() const noexcept {
  if (frames_ && !frames_->is_between()) return {};
  return {read_.data() + read_begin_, read_end_ - read_begin_};
}

void BufferedStream::flush() {
  while (!is_writing_ && is_open_ && take_next()) {
    if (write_at_once()) {
      end_write();
      continue;
    }
    is_writing_ = true;
    write_next();
  }
}

/// Moves what is queued first to `writing_`; false where nothing is.
bool BufferedStream::take_next() {
  if (waiting_.empty()) {
    std::swap(pending_, writing_);
    return !writing_.empty();
  }
  waiting_bytes_ -= waiting_.front().size();
  waiting_held_ -= waiting_.front().capacity();  // a short text keeps the room that `writing_` has, not its own
  writing_ = std::move(waiting_.front());
  waiting_.pop_front();
  return true;
}

/// Whether all of it was taken by the kernel, as nearly always. Then there is no completion, which would be a trip
/// through the scheduler for each answer; so no caller may wait for one. A long write has one: until then
/// it counts as queued, and who sends much stops.
bool BufferedStream::write_at_once() {
  if (tls_ || waiters_ > 0 || !has_room() || writing_.size() >= flush_bytes) return false;
  error_code failed;  // the write that follows meets it again
  written_ = socket_.write_some(asio::buffer(writing_), failed);
  taken_bytes_ += written_;
  return written_ == writing_.size();
}

void BufferedStream::end_write() {
  written_ = 0;
  writing_.clear();
  if (writing_.capacity() > kept_bytes_max) writing_ = {};
  count_queued();
}

void BufferedStream::write_next() {
  auto done = [self = shared_from_this()](error_code const& ec, std::size_t bytes) { self->on_written(ec, bytes); };
  auto const rest = asio::buffer(writing_) + written_;
  if (tls_) {
    tls_->async_write_some(rest, std::move(done));
  } else {
    socket_.async_write_some(rest, std::move(done));
  }
}

void BufferedStream::on_written(error_code const& ec, std::size_t bytes) {
  if (ec) return close();
  // Only what follows a partial write shows that the peer took something: the first write just fills the kernel's
  // buffer.
  has_heard_ = has_heard_ || written_ > 0;
  bool const was_congested = is_congested();
  bool const had_room = has_room();
  written_ += bytes;
  taken_bytes_ += bytes;
  if (written_ < writing_.size()) {
    write_next();
  } else {
    end_write();
    is_writing_ = false;
    flush();
  }
  count_queued();
  if (waiters_ > 0) wake();
  bool const is_relieved = (was_congested && !is_congested()) || (!had_room && has_room());
  if (is_relieved && on_room_) on_room_();
}

void BufferedStream::wake() {
  waiters_ = 0;
  event_.cancel();
}

void BufferedStream::close() noexcept {
  is_open_ = false;
  error_code ignored;
  socket_.close(ignored);
  wake();
}

}  // namespace whence::net
