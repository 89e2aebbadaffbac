// The `main` of every test program: Boost.Test runs what the program's files registered.

#include <boost/test/unit_test.hpp>

int main(int argc, char* argv[]) {
  return boost::unit_test::unit_test_main([] { return true; }, argc, argv);
}
