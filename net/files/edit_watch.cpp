// By inotify: a watch of the folder, and one of each user's folder in it. Files that are there when a watch begins, and
// all of them when events were lost, are reported as written, so the receiver must not take a report for a change.

#include "net/files/edit_watch.hpp"

#include "schema/records/discussion/file_name.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <exception>
#include <string_view>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace whence::net {
namespace {

constexpr std::string_view suffix = ".json";

int checked(int result, char const* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

}  // namespace

EditWatch::EditWatch(std::filesystem::path folder, Changed changed)
    : folder_(std::move(folder)),
      changed_(std::move(changed)),
      events_(checked(inotify_init1(IN_CLOEXEC | IN_NONBLOCK), "inotify_init1")),
      stopping_(checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      root_(inotify_add_watch(events_, folder_.c_str(), IN_CREATE | IN_MOVED_TO | IN_ONLYDIR)),
      thread_([this] { run(); }) {}

EditWatch::~EditWatch() {
  eventfd_write(stopping_, 1);
  thread_.join();
  ::close(events_);
  ::close(stopping_);
}

bool EditWatch::is_stopping() const {
  pollfd stopping{stopping_, POLLIN, 0};
  return ::poll(&stopping, 1, 0) > 0;
}

void EditWatch::run() {
  add_all();
  for (;;) {
    std::array<pollfd, 2> waited{pollfd{events_, POLLIN, 0}, pollfd{stopping_, POLLIN, 0}};
    if (::poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR) return;
    if (waited[1].revents != 0) return;
    if (waited[0].revents != 0 && !take_events()) return;
  }
}

void EditWatch::add_all() {
  std::error_code failed;
  for (std::filesystem::directory_iterator each(folder_, failed), end; !failed && each != end; each.increment(failed)) {
    if (is_stopping()) return;
    add_user(each->path().filename().string());
  }
}

/// False where the kernel reports nothing any more.
bool EditWatch::take_events() {
  alignas(inotify_event) std::array<char, std::size_t{16} * 1024> bytes{};
  auto const length = ::read(events_, bytes.data(), bytes.size());
  if (length < 0) return errno == EAGAIN || errno == EINTR;
  for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(length);) {
    inotify_event event{};
    std::memcpy(&event, bytes.data() + at, sizeof event);
    std::string const name = event.len > 0 ? bytes.data() + at + sizeof event : "";
    at += sizeof event + event.len;
    if (is_stopping()) return false;
    if ((event.mask & IN_Q_OVERFLOW) != 0) {
      add_all();  // some were lost: each file is reported anew
    } else if (event.wd == root_) {
      if ((event.mask & IN_ISDIR) != 0) add_user(name);
    } else if ((event.mask & IN_IGNORED) != 0) {
      users_.erase(event.wd);
    } else if (auto const user = users_.find(event.wd); user != users_.end()) {
      tell(user->second, name);
    }
  }
  return true;
}

void EditWatch::add_user(std::string const& name) {
  auto const path = folder_ / name;
  auto const watch =
      inotify_add_watch(events_, path.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW);
  if (watch < 0) return;  // a file, or more folders than the kernel watches
  users_[watch] = name;
  std::error_code failed;
  for (std::filesystem::directory_iterator each(path, failed), end; !failed && each != end; each.increment(failed)) {
    if (is_stopping()) return;
    tell(name, each->path().filename().string());
  }
}

/// Whatever goes wrong with one file is reported by its next reader.
void EditWatch::tell(std::string const& user, std::string const& file) const {
  std::string_view const name{file};
  if (!name.ends_with(suffix) || name.starts_with('.')) return;
  try {
    changed_({.user_id = schema::id_of_file_name(user),
              .discussion_id = schema::id_of_file_name(name.substr(0, name.size() - suffix.size()))});
  } catch (std::exception const&) {
    return;
  }
}

}  // namespace whence::net
