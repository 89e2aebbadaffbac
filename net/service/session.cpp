// The public face of a session: every call goes to its state.

#include "net/service/session.hpp"

#include "net/service/service.hpp"
#include "net/session/session_state.hpp"

#include <utility>

namespace whence::net {

std::shared_ptr<Session> Session::make(Service& service, SessionConfig config, SessionHost& host) {
  return std::shared_ptr<Session>(
      new Session(std::make_shared<SessionState>(service.state(), std::move(config), host, false)));
}

Session::Session(std::shared_ptr<SessionState> state) : state_(std::move(state)) {}

Session::~Session() {
  state_->on_closed();
}

void Session::on_text(std::string_view message) {
  state_->on_text(message);
}

void Session::on_drained() {
  state_->on_drained();
}

bool Session::is_behind() const {
  return state_->is_behind();
}

bool Session::awaits_hello() const {
  return state_->awaits_hello();
}

void Session::on_tick() {
  state_->on_tick();
}

void Session::drain() {
  state_->drain();
}

void Session::abort_running() {
  state_->abort_running();
}

void Session::finish(std::uint16_t code, std::string_view reason) {
  state_->finish(code, reason);
}

bool Session::is_idle() const {
  return state_->is_idle();
}

void Session::on_closed() {
  state_->on_closed();
}

}  // namespace whence::net
