import unittest

from shop import tested


def setUpModule():
    global GROWN
    GROWN = tested.in_set_up_module(18)


class CheckAdult(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.of_class = tested.in_set_up_class(18)

    def setUp(self):
        self.of_test = tested.in_set_up(18)
        self.addCleanup(lambda: self.assertTrue(tested.in_cleanup(18)))

    def tearDown(self):
        self.assertTrue(tested.in_tear_down(18))

    def test_a(self):
        self.assertTrue(tested.in_case(18))

    def test_set_up(self):
        self.assertTrue(self.of_test)

    def test_set_up_class(self):
        self.assertTrue(self.of_class)

    def test_set_up_module(self):
        self.assertTrue(GROWN)

    def test_subtests(self):
        for age in (18, 19):
            with self.subTest(age=age):
                self.assertTrue(tested.in_unittest_subtest(age))

    @unittest.expectedFailure
    def test_expected_failure(self):
        self.assertTrue(tested.in_expected_failure(18))

    @unittest.skip("later")
    def test_skipped(self):
        self.assertTrue(tested.in_skipped_case(18))


class CheckCoroutine(unittest.IsolatedAsyncioTestCase):
    async def test_it(self):
        self.assertTrue(await tested.in_coroutine(18))
