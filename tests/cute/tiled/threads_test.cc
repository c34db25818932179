// Const operations on shared values run from several threads; the tsan preset looks for races.

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "heddle/notation/evaluator.h"
#include "support/text.h"

namespace heddle::cute {
namespace {

std::string answers(const Layout& a, const Layout& b) {
  std::string text = to_string(composition(a, b).value());
  text += to_string(zipped_divide(a, Tiler(Tile(b))).value());
  text += to_string(right_inverse(a).value()) + to_string(complement(b, a.shape()).value());
  text += equal(a, coalesce(a)).to_string() + to_string(a(13));
  return text + notation::to_string(notation::evaluate("(4,6):(1,5) o 8:1").value());
}

TEST(Threads, ShareLayoutsAndOperations) {
  const Layout a = test::layout("((4,8),(2,2)):((1,16),(4,8))");
  const Layout b = test::layout("(4,2):(1,4)");
  const std::string wanted = answers(a, b);
  std::vector<std::string> found(4);
  std::vector<std::thread> threads;
  for (std::string& text : found) {
    threads.emplace_back([&a, &b, &text] {
      for (int i = 0; i < 50; ++i) text = answers(a, b);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : found) EXPECT_EQ(text, wanted);
}

}  // namespace
}  // namespace heddle::cute
